// expect: nothing got through
// Code in kernels, callbacks and other threads may not do more than host code may.
#include "attack.cuh"

#include <thread>

static const char* victim;

__host__ __device__ static bool reads(const char* path) { return open(path, O_RDONLY) >= 0; }
__host__ __device__ static bool forks() { return fork() > 0; }

__device__ int results[2];

__global__ void attack(const char* path) {
  results[threadIdx.x] = threadIdx.x == 0 ? reads(path) : forks();
}

int main(int, char** words) {
  victim = words[1];
  attack<<<1, 2>>>(victim);
  attempt("a kernel", [] { int got[2] = {}; return cudaMemcpyFromSymbol(got, results, sizeof got) == cudaSuccess && (got[0] || got[1]); });
  attempt("a callback", [] {
    static bool got = false;
    cudaLaunchHostFunc(nullptr, [](void*) { got = reads(victim) || forks(); }, nullptr);
    cudaDeviceSynchronize();
    return got;
  });
  attempt("a thread", [] { bool got = false; std::thread([&] { got = reads(victim) || forks(); }).join(); return got; });
  return end_of_attacks();
}
