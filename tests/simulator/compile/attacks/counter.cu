// expect: compiles
__global__ void k(int* a) { a[threadIdx.x] = __COUNTER__; }
