// expect: does-not-compile: attribute no_sanitize
#define JOIN(a, b) a##b
__attribute__((JOIN(no_sani, tize)("thread")))
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
