// expect: out-of-bounds-write
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { *(volatile long*)0x7fffffff0000 = 1; }
