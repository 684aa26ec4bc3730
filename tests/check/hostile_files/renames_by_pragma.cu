// expect: does-not-compile: redefine_extname
#pragma redefine_extname harmless system
extern "C" __device__ int harmless(const char*);
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { harmless("echo dead > canary"); }
