// expect: DEFECT grid-too-small
// expect: none of them reaches the columns from 64 on, as if x counted the rows
#include <cstdio>
#include <cstdlib>

__global__ void invert(const float* in, float* out, int width, int height) {
  int x = blockIdx.y * blockDim.y + threadIdx.y;
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width && y < height) out[y * width + x] = 1 - in[y * width + x];
}

int main() {
  const int width = 100, height = 60;
  const size_t bytes = width * height * sizeof(float);
  float* h = (float*)malloc(bytes);
  for (int i = 0; i < width * height; i++) h[i] = 0.5f;
  float *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, h, bytes, cudaMemcpyHostToDevice);
  dim3 block(16, 16);
  dim3 grid((width + 15) / 16, (height + 15) / 16);
  invert<<<grid, block>>>(d_in, d_out, width, height);
  cudaMemcpy(h, d_out, bytes, cudaMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  cudaFree(d_in);
  cudaFree(d_out);
  free(h);
}
