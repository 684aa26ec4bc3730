// expect: note grid-too-small
// expect: kernel reduce has 768 threads with 2 elements each for 1 603 elements, and none of them reaches the last 67
// expect: write: (n + 511) / 512 blocks, each with 512 elements of n
// expect: 1 note found
#include <cstdio>
__global__ void reduce(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x * 2 + threadIdx.x, v = 0;
  if (i < n) v += in[i];
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  atomicAdd(out, v);
}
int main() {
  const int n = 1603;
  static int h[n], sum;
  int *in, *out;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  reduce<<<n / 512, 256>>>(in, out, n);
  cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", sum);
  cudaFree(in); cudaFree(out);
}
