// expect: __syncthreads(); between line 15 and line 16
// never: __syncwarp
#include <cstdio>
#include <cstdlib>

#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float s_a[TILE][TILE], s_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / TILE; t++) {
    s_a[threadIdx.y][threadIdx.x] = a[row * n + t * TILE + threadIdx.x];
    s_b[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * n + col];
    for (int k = 0; k < TILE; k++) sum += s_a[threadIdx.y][k] * s_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

int main() {
  const int n = 64;
  const size_t bytes = n * n * sizeof(float);
  float* h = (float*)malloc(bytes);
  for (int i = 0; i < n * n; i++) h[i] = i % 7;
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, h, bytes, cudaMemcpyHostToDevice);
  matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(d_a, d_b, d_c, n);
  cudaMemcpy(h, d_c, bytes, cudaMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  free(h);
}
