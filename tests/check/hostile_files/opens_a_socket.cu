// expect: does-not-compile: socket()
extern "C" __device__ int socket(int, int, int);
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { socket(2, 1, 0); }
