// The same, but the memory of the host is page-locked, so the driver need not copy it once more.
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

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const size_t bytes = n * sizeof(float);
  float *x = nullptr, *y = nullptr;
  check(cudaMallocHost(&x, bytes));
  check(cudaMallocHost(&y, bytes));
  fill(x, y, n);

  check(cudaSetDevice(0));                    // 1. choose a device
  float *x_device = nullptr, *y_device = nullptr;
  check(cudaMalloc(&x_device, bytes));        // 2. allocate
  check(cudaMalloc(&y_device, bytes));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));

  check(cudaEventRecord(begin));
  check(cudaMemcpy(x_device, x, bytes, cudaMemcpyHostToDevice));  // 3. copy there
  check(cudaMemcpy(y_device, y, bytes, cudaMemcpyHostToDevice));
  saxpy<<<(n + 255) / 256, 256>>>(n, 3, x_device, y_device);      // 4. launch
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());                                 // 5. wait
  check(cudaMemcpy(y, y_device, bytes, cudaMemcpyDeviceToHost));  // 6. copy back
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));

  print(y, n, milliseconds);
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(x_device));  // 7. free
  check(cudaFree(y_device));
  check(cudaFreeHost(x));
  check(cudaFreeHost(y));
}
