// expect: does-not-compile: no_sanitize_thread is for sanitizers
__attribute__((no_sanitize_thread))
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { C[0] = 1; }
