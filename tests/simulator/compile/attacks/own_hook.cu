// expect: simulator's own
extern "C" __device__ void __tsan_read4(void*) {}
__global__ void k(int* a) { a[threadIdx.x] = 1; }
