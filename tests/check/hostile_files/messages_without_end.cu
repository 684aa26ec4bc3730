// expect: does-not-compile
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))
#pragma message "m"
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { B(B(#)) }
