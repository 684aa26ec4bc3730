// expect: does-not-compile: asm
#define JOIN(a, b) a##b
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { JOIN(as, m)("syscall"); }
