// expect: ifunc
__device__ void f() __attribute__((ifunc("g")));
__global__ void k(int* a) { a[threadIdx.x] = 1; }
