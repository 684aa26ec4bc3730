// expect: compiles
#if defined(__OPTIMIZE__) || defined(__NO_INLINE__)
#error "it tells"
#endif
__global__ void k(int* a) { a[threadIdx.x] = 1; }
