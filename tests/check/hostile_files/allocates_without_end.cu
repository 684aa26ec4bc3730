// expect: anything
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { for (;;) C[0] = *(float*)malloc(1 << 20); }
