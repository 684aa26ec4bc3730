// Products by tensor cores, of each type and shape. All values are small integers, so every result is exact, in any
// order.
// Prints the same on a GPU: nvcc -arch=sm_80.
#include <mma.h>
#include <cstdio>

using namespace nvcuda;

template <class T> __host__ __device__ T small(int i, int most) { return T(float(i % most - most / 2)); }
template <> __host__ __device__ double small<double>(int i, int most) { return i % most - most / 2; }

// d = 2 (a b + c), where c is 3 everywhere. a (m x k) and b (k x n) are row-major; d is column-major.
template <int m, int n, int k, class Element, class Stored, class Sum>
__global__ void product(const Stored* a, const Stored* b, Sum* d) {
  wmma::fragment<wmma::matrix_a, m, n, k, Element, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, m, n, k, Element, wmma::row_major> of_b;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> sums;
  wmma::fill_fragment(sums, Sum(3.0f));
  wmma::load_matrix_sync(of_a, a, k);
  wmma::load_matrix_sync(of_b, b, n);
  wmma::mma_sync(sums, of_a, of_b, sums);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = sums.x[i] + sums.x[i];
  wmma::store_matrix_sync(d, sums, m, wmma::mem_col_major);
}

// d = a b of 64 x 48 by 48 x 32, where b is column-major. Each of the two warps of a block has a tile in shared memory.
__global__ void tiled(const half* a, const half* b, float* d) {
  __shared__ float tiles[2][16 * 16];
  const int warp = threadIdx.x / warpSize, row = 16 * blockIdx.x, column = 16 * warp;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> of_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int k = 0; k < 48; k += 16) {
    wmma::load_matrix_sync(of_a, a + row * 48 + k, 48);
    wmma::load_matrix_sync(of_b, b + column * 48 + k, 48);
    wmma::mma_sync(sums, of_a, of_b, sums);
  }
  wmma::store_matrix_sync(tiles[warp], sums, 16, wmma::mem_row_major);
#ifndef NO_SYNC
  __syncwarp();
#endif
  for (int i = threadIdx.x % warpSize; i < 256; i += warpSize)
    d[(row + i / 16) * 32 + column + i % 16] = tiles[warp][i];
}

template <int m, int n, int k, class Element, class Stored, class Sum>
void check(const char* name) {
  Stored *a, *b;
  Sum* d;
  cudaMallocManaged(&a, m * k * sizeof(Stored));
  cudaMallocManaged(&b, k * n * sizeof(Stored));
  cudaMallocManaged(&d, m * n * sizeof(Sum));
  for (int i = 0; i < m * k; ++i) a[i] = small<Stored>(i, 5);
  for (int i = 0; i < k * n; ++i) b[i] = small<Stored>(i, 7);
  product<m, n, k, Element, Stored, Sum><<<1, 32>>>(a, b, d);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 3;
      for (int l = 0; l < k; ++l) sum += float(a[i * k + l]) * float(b[l * n + j]);
      wrong += float(d[j * m + i]) != 2 * sum;
    }
  printf("%s %d x %d x %d: %d wrong, d[1] = %g\n", name, m, n, k, wrong, double(float(d[1])));
  cudaFree(a);
  cudaFree(b);
  cudaFree(d);
}

int main() {
  check<16, 16, 16, half, half, float>("half");
  check<32, 8, 16, half, half, float>("half");
  check<8, 32, 16, half, half, half>("half, sums of half");
  check<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16");
  check<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
  check<16, 16, 16, signed char, signed char, int>("int8");
  check<8, 8, 4, double, double, double>("double");
  half *a, *b;
  float* d;
  cudaMallocManaged(&a, 64 * 48 * sizeof *a);
  cudaMallocManaged(&b, 48 * 32 * sizeof *b);
  cudaMallocManaged(&d, 64 * 32 * sizeof *d);
  for (int i = 0; i < 64 * 48; ++i) a[i] = small<half>(i, 5);
  for (int i = 0; i < 48 * 32; ++i) b[i] = small<half>(i, 7);
  tiled<<<4, 64>>>(a, b, d);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 32; ++j) {
      float sum = 0;
      for (int k = 0; k < 48; ++k) sum += float(a[i * 48 + k]) * float(b[j * 48 + k]);
      wrong += d[i * 32 + j] != sum;
    }
  printf("tiled: %d wrong\n", wrong);
  cudaFree(a);
  cudaFree(b);
  cudaFree(d);
}
