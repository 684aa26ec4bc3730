// expect: DEFECT race-global
// expect: write: if (y < width && x < height) in line 14
#include <cstdio>

constexpr int tile_size = 16;

__global__ void transpose(const int *in, int *out, int width, int height) {
  __shared__ int tile[tile_size][tile_size + 1];
  int x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * tile_size + threadIdx.x;
  y = blockIdx.x * tile_size + threadIdx.y;
  if (x < width && y < height) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int w = 100, h = 60, n = w * h;
  static int a[n], b[n];
  for (int i = 0; i < n; ++i) a[i] = i;
  int *d, *e;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&e, n * sizeof(int));
  cudaMemcpy(d, a, n * sizeof(int), cudaMemcpyHostToDevice);
  dim3 block(tile_size, tile_size), grid((w + tile_size - 1) / tile_size, (h + tile_size - 1) / tile_size);
  transpose<<<grid, block>>>(d, e, w, h);
  cudaMemcpy(b, e, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", b[1]);
  cudaFree(d);
  cudaFree(e);
}
