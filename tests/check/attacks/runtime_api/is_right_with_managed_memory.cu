// expect: :
// No attack: memory that both sides have needs no copies.
// The seven steps in order: choose a device, allocate, copy, launch, wait, copy back, free.

#include <cstdio>
#include <cstdlib>
#include <vector>

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

void saxpy_on_device(int n, float a, const float* x, float* y) {
  float *x_managed = nullptr, *y_managed = nullptr;
  check(cudaMallocManaged(&x_managed, n * sizeof(float)));
  check(cudaMallocManaged(&y_managed, n * sizeof(float)));
  for (int i = 0; i < n; ++i) {
    x_managed[i] = x[i];
    y_managed[i] = y[i];
  }
  saxpy<<<(n + 255) / 256, 256>>>(n, a, x_managed, y_managed);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) y[i] = y_managed[i];
  check(cudaFree(x_managed));
  check(cudaFree(y_managed));
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
