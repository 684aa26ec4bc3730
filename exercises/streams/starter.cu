// y[i] = x[i] * x[i] + 1, and the sum of y: a whole program that lets copies
// and kernels overlap.
//
// The kernels are ready. Write process(): in two streams, which take the chunks
// in turn, copy a chunk of x to the device, compute its y, and copy that back.
// While one stream computes, the other one copies. Then add up all of y on the
// device, which needs the work of both streams. Give the error of each call to
// check().
//
//   gpulab run streams.cu -- 1000   runs the program with n = 1000
//   gpulab check streams.cu         checks it at several n, and what overlaps
//   nvcc streams.cu                 compiles it where there is a GPU

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// y[i] = x[i] * x[i] + 1, for i in [0, count)
__global__ void square_and_one(const int* x, int* y, int count) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < count) y[item] = x[item] * x[item] + 1;
}

// Adds all elements of y to *sum. Each block needs an int of shared memory for
// each thread.
__global__ void add_up(const int* y, int count, unsigned long long* sum) {
  extern __shared__ int partial[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = item < count ? y[item] : 0;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, (unsigned long long)partial[0]);
}

// Ends the program if a call of the runtime has failed.
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error),
               cudaGetErrorString(error));
  std::exit(1);
}

constexpr int threads = 256, chunks = 8;

int blocks_for(int count) { return (count + threads - 1) / threads; }

void process(const int* x, int* y, int n, unsigned long long* sum) {
  // TODO 2: memory of the device for x, y and sum; two streams
  // TODO 3: for each chunk, in the streams in turn: copy there, square_and_one,
  // copy back; never wait in between
  // TODO 4: an event after the last chunk of the second stream, and let the
  // first stream wait for it
  // TODO 5: in the first stream: set the sum to 0, add_up (with shared memory
  // for each thread), copy the sum back
  // TODO 6: wait once, at the end; destroy and free everything
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  // TODO 1: page-locked memory for all three (cudaMallocHost), and free it at
  // the end
  int *x = new int[n], *y = new int[n];
  unsigned long long* sum = new unsigned long long(0);
  for (int i = 0; i < n; ++i) {
    x[i] = i % 100;
    y[i] = 0;
  }
  process(x, y, n, sum);

  unsigned long long weighted = 0;
  for (int i = 0; i < n; ++i) weighted += (i % 89 + 1ull) * y[i];
  std::printf("sum %llu\n", *sum);
  std::printf("weighted %llu\n", weighted);
  delete[] x;
  delete[] y;
  delete sum;
}
