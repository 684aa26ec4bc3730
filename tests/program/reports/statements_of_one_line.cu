// expect: __syncthreads(); between the two statements in line 4
__global__ void reverse(int* out, const int* in) {
  // clang-format off
  __shared__ int s[64]; int l = threadIdx.x; s[l] = in[l]; out[l] = s[63 - l];
  // clang-format on
}
int main() {
  int *out, *in, h[64];
  cudaMalloc(&out, sizeof h);
  cudaMalloc(&in, sizeof h);
  cudaMemset(in, 0, sizeof h);
  reverse<<<1, 64>>>(out, in);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(out);
  cudaFree(in);
}
