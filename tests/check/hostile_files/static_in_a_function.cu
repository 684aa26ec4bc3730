// expect: does-not-compile
__device__ int f() { return threadIdx.x; }
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { static int once = f(); C[0] = once; }
