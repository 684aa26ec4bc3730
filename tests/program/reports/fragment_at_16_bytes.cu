// expect: accesses a fragment's matrix at an address 16 bytes past a multiple of 32
// expect: 1 note found
#include <mma.h>
using namespace nvcuda;
__global__ void copy(const half* in, float* out) {
  __shared__ __align__(32) half tile[16 * 16 + 8];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i + 8] = in[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> one;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(a, tile + 8, 16);
  wmma::load_matrix_sync(one, in + 256, 16);
  wmma::fill_fragment(sum, 0.f);
  wmma::mma_sync(sum, a, one, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
int main() {
  half h[512], *in;
  float sums[256], *out;
  for (int i = 0; i < 256; ++i) h[i] = __float2half(i), h[256 + i] = __float2half(i % 17 == 0);
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof sums);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  copy<<<1, 32>>>(in, out);
  cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  for (int i = 0; i < 256; ++i)
    if (sums[i] != i) return 1;
}
