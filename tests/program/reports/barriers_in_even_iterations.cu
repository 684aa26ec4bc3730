// expect: write: __syncthreads(); without its condition, in line 11 and in line 15
// never: at the end of the loop
#include <cstdio>

__global__ void reverse(const int* in, int* out, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    s[t] = in[t] + k;
    if (k % 2 == 0)
      __syncthreads();

    out[k * 128 + t] = s[127 - t];
    if (k % 2 == 0) {
      __syncthreads();
    }
  }
}

int main() {
  int *in, *out, h[128];
  cudaMalloc(&in, sizeof h);
  cudaMemset(in, 0, sizeof h);
  cudaMalloc(&out, 4 * sizeof h);
  reverse<<<1, 128>>>(in, out, 4);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(in);
  cudaFree(out);
}
