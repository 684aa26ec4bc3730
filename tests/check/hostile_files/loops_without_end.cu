// expect: time-limit
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { for (volatile int i = 0;; ++i) {} }
