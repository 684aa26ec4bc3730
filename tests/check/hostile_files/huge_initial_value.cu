// expect: does-not-compile
__device__ char memory[1ull << 31] = {1};
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { memory[size] = 1; }
