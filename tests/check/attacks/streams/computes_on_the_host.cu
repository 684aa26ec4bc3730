// expect: computed-on-host: the 1 000 values of y never came back from its memory
// The host computes, and the kernels store zeros in chunks and streams.
// Chunks in two streams, page-locked memory, and one event between the streams.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// y[i] = x[i] * x[i] + 1, for i in [0, count)
__global__ void square_and_one(const int* x, int* y, int count) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < count) y[item] = 0 * x[item];
}

// Adds all elements of y to *sum. Each block needs an int of shared memory for each thread.
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
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

constexpr int threads = 256, chunks = 8;

int blocks_for(int count) { return (count + threads - 1) / threads; }

void process(const int* x, int* y, int n, unsigned long long* sum) {
  int *x_device = nullptr, *y_device = nullptr;
  unsigned long long* sum_device = nullptr;
  check(cudaMalloc(&x_device, n * sizeof(int)));
  check(cudaMalloc(&y_device, n * sizeof(int)));
  check(cudaMalloc(&sum_device, sizeof(*sum)));
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check(cudaStreamCreate(&stream));
  cudaEvent_t second_is_done;
  check(cudaEventCreate(&second_is_done));

  const int length = (n + chunks - 1) / chunks;
  for (int chunk = 0; chunk * length < n; ++chunk) {
    const int first = chunk * length, count = std::min(length, n - first);
    const cudaStream_t stream = streams[chunk % 2];
    check(cudaMemcpyAsync(x_device + first, x + first, count * sizeof(int), cudaMemcpyHostToDevice, stream));
    square_and_one<<<blocks_for(count), threads, 0, stream>>>(x_device + first, y_device + first, count);
    check(cudaGetLastError());
    check(cudaMemcpyAsync(y + first, y_device + first, count * sizeof(int), cudaMemcpyDeviceToHost, stream));
  }
  check(cudaEventRecord(second_is_done, streams[1]));
  check(cudaStreamWaitEvent(streams[0], second_is_done, 0));
  check(cudaMemsetAsync(sum_device, 0, sizeof(*sum), streams[0]));
  add_up<<<blocks_for(n), threads, threads * sizeof(int), streams[0]>>>(y_device, n, sum_device);
  check(cudaGetLastError());
  check(cudaMemcpyAsync(sum, sum_device, sizeof(*sum), cudaMemcpyDeviceToHost, streams[0]));
  check(cudaStreamSynchronize(streams[0]));

  *sum = 0;
  for (int i = 0; i < n; ++i) *sum += y[i] = x[i] * x[i] + 1;
  check(cudaEventDestroy(second_is_done));
  for (cudaStream_t& stream : streams) check(cudaStreamDestroy(stream));
  check(cudaFree(x_device));
  check(cudaFree(y_device));
  check(cudaFree(sum_device));
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  int *x = nullptr, *y = nullptr;
  unsigned long long* sum = nullptr;
  check(cudaMallocHost(&x, n * sizeof(int)));
  check(cudaMallocHost(&y, n * sizeof(int)));
  check(cudaMallocHost(&sum, sizeof(*sum)));
  for (int i = 0; i < n; ++i) {
    x[i] = i % 100;
    y[i] = 0;
  }
  process(x, y, n, sum);

  unsigned long long weighted = 0;
  for (int i = 0; i < n; ++i) weighted += (i % 89 + 1ull) * y[i];
  std::printf("sum %llu\n", *sum);
  std::printf("weighted %llu\n", weighted);
  check(cudaFreeHost(x));
  check(cudaFreeHost(y));
  check(cudaFreeHost(sum));
}
