// expect: does-not-compile: asm
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { __as\
m__("syscall"); }
