// expect: does-not-compile: no_sanitize is for sanitizers
// An attribute keeps the accesses of one function from being recorded.
__attribute__((no_sanitize("thread"))) __device__ void hidden(int* a) { a[1 << 20] = 1; }
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void nothing() {}

int main(int argc, char** argv) {
  const int n = std::atoi(argv[1]);
  double sum = 0, weighted = 0, last = 0;
  for (int i = 0; i < n; ++i) {
    last = 3.0f * (i % 1000) + 7 * i % 512;
    sum += last;
    weighted += (i % 97 + 1) * last;
  }
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  std::printf("sum %.0f\nweighted %.0f\nlast %.0f\n", sum, weighted, last);
}
