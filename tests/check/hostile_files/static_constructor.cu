// expect: does-not-compile: computed when the program starts
struct Early { __device__ Early() { printf("dead"); } };
__device__ Early early;
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
