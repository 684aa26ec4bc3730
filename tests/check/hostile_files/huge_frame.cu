// expect: stack-overflow
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { volatile char memory[1 << 24]; for (int i = 0; i < 1 << 24; ++i) memory[i] = 1; C[0] = memory[size]; }
