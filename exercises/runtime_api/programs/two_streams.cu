// Chunks in two streams: while one stream computes, the other one copies.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

// y = a * x + y, for n elements
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < n) y[item] = a * x[item] + y[item];
}

// Ends the program if a call of the runtime has failed.
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

void fill(float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) {
    x[i] = i % 1000;
    y[i] = 7 * i % 512;
  }
}

void print(const float* y, int n, float milliseconds) {
  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    sum += y[i];
    weighted += (i % 97 + 1) * y[i];
  }
  std::printf("sum %.0f\nweighted %.0f\nlast %.0f\nmilliseconds %g\n", sum, weighted, y[n - 1], milliseconds);
}

constexpr int chunks = 8;

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const size_t bytes = n * sizeof(float);
  float *x = nullptr, *y = nullptr;
  check(cudaMallocHost(&x, bytes));
  check(cudaMallocHost(&y, bytes));
  fill(x, y, n);

  check(cudaSetDevice(0));
  float *x_device = nullptr, *y_device = nullptr;
  check(cudaMalloc(&x_device, bytes));
  check(cudaMalloc(&y_device, bytes));
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));

  check(cudaEventRecord(begin));
  const int length = (n + chunks - 1) / chunks;
  for (int chunk = 0; chunk * length < n; ++chunk) {
    const int first = chunk * length, count = std::min(length, n - first);
    const cudaStream_t stream = streams[chunk % 2];
    check(cudaMemcpyAsync(x_device + first, x + first, count * sizeof(float), cudaMemcpyHostToDevice, stream));
    check(cudaMemcpyAsync(y_device + first, y + first, count * sizeof(float), cudaMemcpyHostToDevice, stream));
    saxpy<<<(count + 255) / 256, 256, 0, stream>>>(count, 3, x_device + first, y_device + first);
    check(cudaGetLastError());
    check(cudaMemcpyAsync(y + first, y_device + first, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
  }
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));

  print(y, n, milliseconds);
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  for (cudaStream_t& stream : streams) check(cudaStreamDestroy(stream));
  check(cudaFree(x_device));
  check(cudaFree(y_device));
  check(cudaFreeHost(x));
  check(cudaFreeHost(y));
}
