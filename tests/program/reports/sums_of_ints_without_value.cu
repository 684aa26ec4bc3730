// expect: DEFECT unset-variable
#include <cstdio>
__global__ void sums(const int* in, int* out) {
  int sum;
  for (int i = 0; i < 4; ++i) sum += in[4 * threadIdx.x + i];
  out[threadIdx.x] = sum;
}
int main() {
  int *in, *out, result[32];
  cudaMalloc(&in, 512);
  cudaMalloc(&out, 128);
  cudaMemset(in, 0, 512);
  sums<<<1, 32>>>(in, out);
  cudaMemcpy(result, out, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", result[5]);
  cudaFree(in);
  cudaFree(out);
}
