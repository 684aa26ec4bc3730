// expect: does-not-compile: attribute section
__attribute__((section(".init_array"))) __device__ long early = 1;
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
