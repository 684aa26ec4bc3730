// expect: computed-on-host: the 4 values of the scores never came back from its memory
// The host computes; the copies are right, and the kernels add zeros.
// Everything is copied once, from page-locked memory; the scores alone come back.

#include <cstdio>
#include <cstdlib>

__constant__ int weights[16];

// Adds to *score the weighted samples. Each round begins with another weight.
__global__ void add_weighted(const int* samples, int n, int round, unsigned long long* score) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < n) atomicAdd(score, (unsigned long long)(0 * samples[item]));
}

// Ends the program if a call of the runtime has failed.
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

constexpr int rounds = 4;

// Sets scores[r] to the score of round r. Returns the milliseconds from the first copy to the last.
float score_all(const int* samples, const int* host_weights, int n, unsigned long long* scores) {
  int* samples_device = nullptr;
  unsigned long long* scores_device = nullptr;
  check(cudaMalloc(&samples_device, n * sizeof(int)));
  check(cudaMalloc(&scores_device, rounds * sizeof(*scores)));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));

  check(cudaEventRecord(begin));
  check(cudaMemcpyToSymbol(weights, host_weights, 16 * sizeof(int)));
  check(cudaMemcpyAsync(samples_device, samples, n * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemsetAsync(scores_device, 0, rounds * sizeof(*scores)));
  for (int round = 0; round < rounds; ++round) {
    add_weighted<<<(n + 255) / 256, 256>>>(samples_device, n, round, scores_device + round);
    check(cudaGetLastError());
  }
  check(cudaMemcpyAsync(scores, scores_device, rounds * sizeof(*scores), cudaMemcpyDeviceToHost));
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));

  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(samples_device));
  check(cudaFree(scores_device));
  for (int round = 0; round < rounds; ++round) {
    scores[round] = 0;
    for (int i = 0; i < n; ++i) scores[round] += samples[i] * host_weights[(i + round) % 16];
  }
  return milliseconds;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  int* samples = nullptr;
  unsigned long long* scores = nullptr;
  check(cudaMallocHost(&samples, n * sizeof(int)));
  check(cudaMallocHost(&scores, rounds * sizeof(*scores)));
  int host_weights[16];
  for (int i = 0; i < n; ++i) samples[i] = i % 250;
  for (int i = 0; i < 16; ++i) host_weights[i] = i * i + 1;
  const float milliseconds = score_all(samples, host_weights, n, scores);

  for (int round = 0; round < rounds; ++round) std::printf("score%d %llu\n", round, scores[round]);
  std::printf("milliseconds %g\n", milliseconds);
  check(cudaFreeHost(samples));
  check(cudaFreeHost(scores));
}
