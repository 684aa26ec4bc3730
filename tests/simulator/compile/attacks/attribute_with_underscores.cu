// expect: sanitize
__attribute__((__no_sanitize_thread__)) __global__ void k(int* a) { a[threadIdx.x] = 1; }
