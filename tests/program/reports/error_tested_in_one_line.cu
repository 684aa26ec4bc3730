// expect: note launch-failure the launch of fill was refused
// never: nothing uses it
#include <cstdio>
#define CHECK(call) if ((call) != cudaSuccess) { fprintf(stderr, "failed in line %d\n", __LINE__); return 9; }

__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() { int* x; CHECK(cudaMalloc(&x, 400)); fill<<<1, 2000>>>(x); CHECK(cudaGetLastError()); cudaFree(x); }
