// expect: does-not-compile: gpulab_launch is a name of the simulator's own
// It reports a launch that never happened.
extern "C" void gpulab_launch(const char*, const void*, unsigned long, void*, unsigned long);
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
  gpulab_launch("saxpy", 0, 0, 0, 0);
}
