// expect: DEFECT grid-too-small kernel grey has 64 x 48 threads for 90 x 50 elements
// expect: none of them reaches the columns from 64 on and the rows from 48 on
// expect: write: dim3 grid((width + 31) / 32, (height + 7) / 8)
// never: note
#include <cstdio>
__global__ void grey(const uchar3* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = (in[y * w + x].x + in[y * w + x].y + in[y * w + x].z) / 3;
}
int main() {
  const int w = 90, h = 50;
  uchar3 *pixels = new uchar3[w * h](), *in;
  unsigned char *result = new unsigned char[w * h], *out;
  cudaMalloc(&in, w * h * sizeof(uchar3));
  cudaMalloc(&out, w * h);
  cudaMemcpy(in, pixels, w * h * sizeof(uchar3), cudaMemcpyHostToDevice);
  dim3 block(32, 8), grid(w / 32, h / 8);
  grey<<<grid, block>>>(in, out, w, h);
  cudaMemcpy(result, out, w * h, cudaMemcpyDeviceToHost);
  printf("%d\n", result[0]);
  cudaFree(in); cudaFree(out); delete[] pixels; delete[] result;
}
