// expect: simulator's own
#define JOINED(a, b) a##b
extern "C" __device__ void JOINED(__ts, an_read4)(void*) {}
__global__ void k(int* a) { a[threadIdx.x] = 1; }
