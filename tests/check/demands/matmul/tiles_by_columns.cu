// expect: right: is uncoalesced: each global load of a warp touches
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
