// expect: not-offered: asm
extern "C" __device__ int harmless(const char*) __asm__("system");
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { harmless("echo dead > canary"); }
