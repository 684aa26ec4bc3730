// expect: not for device code
[[using gnu: no_instrument_function]] __global__ void k(int* a) { a[threadIdx.x] = 1; }
