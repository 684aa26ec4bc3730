// expect: compiles
__global__ void k(int* a) { static_assert(__TIME__[1] == '0'); a[threadIdx.x] = 1; }
