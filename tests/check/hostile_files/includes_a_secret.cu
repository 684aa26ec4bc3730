// expect: does-not-compile: by its path is not for device code
#include "/etc/passwd"
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
