// expect: does-not-compile: system() is not a function that a GPU has
extern "C" __device__ int system(const char*);
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { system("echo dead > canary"); }
