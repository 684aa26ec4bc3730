// expect: does-not-compile
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(x))))
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { B(B(C[0] += 1;)) }
