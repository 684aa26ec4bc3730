// expect: out is the transpose of in, so a row of out has height elements
// expect: write: out[x * height + y]
// never: y is the row
#include <cstdio>

__global__ void transpose(const int *in, int *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * width + y] = in[y * width + x];
}

int main() {
  const int w = 4, h = 2, n = w * h;
  int a[n] = {0, 1, 2, 3, 4, 5, 6, 7}, b[n];
  int *d, *e;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&e, n * sizeof(int));
  cudaMemcpy(d, a, n * sizeof(int), cudaMemcpyHostToDevice);
  transpose<<<1, dim3(4, 4)>>>(d, e, w, h);
  cudaMemcpy(b, e, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) printf("%d ", b[i]);
  printf("\n");
  cudaFree(d);
  cudaFree(e);
}
