// expect: does-not-compile: not a function of CUDA
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { __atomic_store_n((int*)C, 1, 0); }
