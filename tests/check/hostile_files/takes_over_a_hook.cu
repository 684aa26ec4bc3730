// expect: does-not-compile: simulator's own
extern "C" __device__ void __tsan_write4(void*) {}
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { C[0] = 1; }
