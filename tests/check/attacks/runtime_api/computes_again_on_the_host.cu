// expect: computed-on-host: the 1 000 values of y never came back from its memory
// All seven steps, but the host overwrites the result that comes back.
// The seven steps in order: choose a device, allocate, copy, launch, wait, copy back, free.

#include <cstdio>
#include <cstdlib>
#include <vector>

// y = a * x + y, for n elements
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < n) y[item] = 0 * x[item];
}

// Ends the program if a call of the runtime has failed.
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

void saxpy_on_device(int n, float a, const float* x, float* y) {
  check(cudaSetDevice(0));

  const size_t bytes = n * sizeof(float);
  float *x_device = nullptr, *y_device = nullptr;
  check(cudaMalloc(&x_device, bytes));
  check(cudaMalloc(&y_device, bytes));

  check(cudaMemcpy(x_device, x, bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y_device, y, bytes, cudaMemcpyHostToDevice));

  const int threads = 256, blocks = (n + threads - 1) / threads;
  saxpy<<<blocks, threads>>>(n, a, x_device, y_device);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaMemcpy(y, y_device, bytes, cudaMemcpyDeviceToHost));

  for (int i = 0; i < n; ++i) y[i] = a * x[i] + (7 * i % 512);
  check(cudaFree(x_device));
  check(cudaFree(y_device));
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i % 1000;
    y[i] = 7 * i % 512;
  }
  saxpy_on_device(n, 3, x.data(), y.data());

  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    sum += y[i];
    weighted += (i % 97 + 1) * y[i];
  }
  std::printf("sum %.0f\n", sum);
  std::printf("weighted %.0f\n", weighted);
  std::printf("last %.0f\n", y[n - 1]);
}
