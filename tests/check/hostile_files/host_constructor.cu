// expect: does-not-compile: of the host
struct Early { Early() {} } early;
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
