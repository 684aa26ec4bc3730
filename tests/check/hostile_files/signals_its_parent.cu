// expect: does-not-compile: is not a function that a GPU has
extern "C" __device__ int kill(int, int);
extern "C" __device__ int getppid();
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { kill(getppid(), 9); }
