// expect: does-not-compile: computed when the program starts
__device__ int f() { return printf("dead"); }
__device__ int early = f();
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
