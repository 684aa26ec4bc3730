// expect: does-not-compile: is not for an exercise's program
// It writes to the report's descriptor through the C++ library.
#include <ext/stdio_filebuf.h>
#include <ostream>
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
  __gnu_cxx::stdio_filebuf<char> connection(200, std::ios::out);
  std::ostream(&connection) << "x";
}
