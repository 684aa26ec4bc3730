// expect: sanitize
#define WORD no_##sanitize
__attribute__((WORD("thread"))) __global__ void k(int* a) { a[threadIdx.x] = 1; }
