// expect: does-not-compile: attribute constructor
__attribute__((constructor)) __device__ void early() {}
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
