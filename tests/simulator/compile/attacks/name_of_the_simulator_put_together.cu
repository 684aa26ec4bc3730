// expect: simulator's own
#define JOINED(a, b) a##b
#define SHOWN(x) JOINED(x, )
JOINED(GPU, LAB_UNHOOKED) __global__ void k(int* a) { a[threadIdx.x] = 1; }
