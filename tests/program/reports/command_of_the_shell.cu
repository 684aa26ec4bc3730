// expect: note refused-file the sandbox kept the program from running "mkdir -p out"
#include <cstdlib>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  return system("mkdir -p out") == 0;
}
