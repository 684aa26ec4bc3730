// expect: DEFECT grid-too-small kernel transpose has 32 x 16 threads for 40 x 24 elements
// expect: none of them reaches the columns from 32 on and the rows from 16 on
// expect: cudaMemcpy brings 448 to the host: nobody has written them
// never: note
#include <cstdio>
__global__ void transpose(const int* in, int* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
int main() {
  const int w = 40, h = 24, n = w * h;
  int a[n] = {}, *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, a, n * sizeof(int), cudaMemcpyHostToDevice);
  dim3 block(16, 16), grid(w / 16, h / 16);
  transpose<<<grid, block>>>(in, out, w, h);
  cudaMemcpy(a, out, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", a[0]);
  cudaFree(in); cudaFree(out);
}
