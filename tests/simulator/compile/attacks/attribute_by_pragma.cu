// expect: pragma
#pragma clang attribute push(__attribute__((annotate("x"))), apply_to = function)
__global__ void k(int* a) { a[threadIdx.x] = 1; }
