// One pointer for both sides: the driver moves the data. The host still has to wait.
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
  check(cudaSetDevice(0));
  float *x = nullptr, *y = nullptr;
  check(cudaMallocManaged(&x, bytes));
  check(cudaMallocManaged(&y, bytes));
  fill(x, y, n);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));

  check(cudaEventRecord(begin));
  saxpy<<<(n + 255) / 256, 256>>>(n, 3, x, y);
  check(cudaGetLastError());
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));

  print(y, n, milliseconds);
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(x));
  check(cudaFree(y));
}
