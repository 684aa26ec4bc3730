// expect: not-offered
#include "/etc/passwd"
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
