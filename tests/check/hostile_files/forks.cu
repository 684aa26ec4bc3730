// expect: does-not-compile: fork()
extern "C" __device__ int fork();
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { for (;;) fork(); }
