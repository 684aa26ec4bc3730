// expect: computed-on-host: never came back from its memory
// It defines sendmsg() and write(), which gpulab must not call.
extern "C" long sendmsg(int, const void*, int) { return 0; }
extern "C" long write(int, const void*, unsigned long) { return 0; }
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
