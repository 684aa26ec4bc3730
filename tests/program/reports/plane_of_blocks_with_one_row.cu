// expect: DEFECT grid-too-small kernel fill has 64 x 4 threads for 64 x 64 elements
// expect: write: dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16), and if (x < width && y < height)
// never: + 0)
#include <cstdio>
__global__ void fill(int* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = 7;
}
int main() {
  const int w = 64, h = 64;
  static int a[w * h];
  int* d;
  cudaMalloc(&d, sizeof a);
  dim3 block(16), grid(w / 16, h / 16);
  fill<<<grid, block>>>(d, w, h);
  cudaMemcpy(a, d, sizeof a, cudaMemcpyDeviceToHost);
  printf("%d\n", a[w * h - 1]);
  cudaFree(d);
}
