// expect: asm
__device__ int x __asm__("gpulab_x");
__global__ void k(int* a) { a[threadIdx.x] = 1; }
