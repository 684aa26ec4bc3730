// expect: transposed

// Both tiles are stored by columns and read by rows.
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
