// expect: let the stream of kernel k wait for it
// never: write: an offset
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
__global__ void k(int* x, int v) {
  x[threadIdx.x] += v;
}
int main() {
  int* x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  std::vector<std::thread> t;
  for (int i = 0; i < 2; i++)
    t.emplace_back([=] {
      cudaStream_t s;
      cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
      for (int r = 0; r < 3; r++) k<<<1, 32, 0, s>>>(x, i);
      cudaStreamSynchronize(s);
      cudaStreamDestroy(s);
    });
  for (auto& a : t) a.join();
  cudaFree(x);
}
