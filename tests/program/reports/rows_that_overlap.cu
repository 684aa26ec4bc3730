// expect: x goes up to w, and a row of out has h elements, so rows overlap
// expect: out[x * h + y] if x is the row
#include <cstdio>
#include <cstdlib>
__global__ void transpose(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * h + x] = in[y * w + x];
}
int main() {
  int w = 100, h = 50;
  float *in = new float[w * h], *out = new float[w * h], *d_in, *d_out;
  for (int i = 0; i < w * h; i++) in[i] = i;
  cudaMalloc(&d_in, w * h * 4);
  cudaMalloc(&d_out, w * h * 4);
  cudaMemcpy(d_in, in, w * h * 4, cudaMemcpyHostToDevice);
  dim3 block(16, 16), grid(w / 16 + 1, h / 16 + 1);
  transpose<<<grid, block>>>(d_in, d_out, w, h);
  cudaMemcpy(out, d_out, w * h * 4, cudaMemcpyDeviceToHost);
  printf("%g\n", out[1]);
  cudaFree(d_in); cudaFree(d_out);
  delete[] in; delete[] out;
}
