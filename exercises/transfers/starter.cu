// Four scores of the same samples: a whole program that copies what is needed,
// once.
//
// The kernel is ready; each round is one launch of it. Write score_all(). The
// weights go into constant memory. Each sample crosses the link once, in one
// copy, from page-locked memory; only the scores come back. Measure how long it
// takes, from the first copy to the last, with two events. Give the error of
// each call to check().
//
//   gpulab run transfers.cu -- 1000   runs the program with n = 1000
//   gpulab check transfers.cu         checks it at several n, and counts what
//                                     is copied
//   nvcc transfers.cu                 compiles it where there is a GPU

#include <cstdio>
#include <cstdlib>

__constant__ int weights[16];

// Adds the weighted samples to *score. Each round begins with another weight.
__global__ void add_weighted(const int* samples, int n, int round, unsigned long long* score) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= n) return;
  const int weight = weights[(item + round) % 16];
  atomicAdd(score, (unsigned long long)(samples[item] * weight));
}

// Ends the program if a call of the runtime has failed.
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error),
               cudaGetErrorString(error));
  std::exit(1);
}

constexpr int rounds = 4;

// Sets scores[r] to the score of round r. Returns the milliseconds from the
// first copy to the last.
float score_all(const int* samples, const int* host_weights, int n,
                unsigned long long* scores) {
  // TODO 2: memory of the device for the samples and the scores; two events
  // TODO 3: record the first event; copy the weights (cudaMemcpyToSymbol) and
  // the samples; set the scores to 0
  // TODO 4: launch the kernel for each round, with its own score
  // TODO 5: copy the scores back, record the second event, wait for it, and ask
  // for the time (cudaEventElapsedTime)
  // TODO 6: destroy and free everything
  return 0;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  // TODO 1: page-locked memory for both (cudaMallocHost), and free it at the
  // end
  int* samples = new int[n];
  unsigned long long* scores = new unsigned long long[rounds]();
  int host_weights[16];
  for (int i = 0; i < n; ++i) samples[i] = i % 250;
  for (int i = 0; i < 16; ++i) host_weights[i] = i * i + 1;
  const float milliseconds = score_all(samples, host_weights, n, scores);

  for (int round = 0; round < rounds; ++round)
    std::printf("score%d %llu\n", round, scores[round]);
  std::printf("milliseconds %g\n", milliseconds);
  delete[] samples;
  delete[] scores;
}
