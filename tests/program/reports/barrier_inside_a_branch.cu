// expect: write: __syncthreads(); before line 9, not in line 10: not all threads enter the branch in line 9
// never: outside of the branch
__global__ void sweep(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  s[2 * t] = in[2 * t], s[2 * t + 1] = in[2 * t + 1];
  __syncthreads();
  for (int d = 1, offset = n / 2; d < n; d *= 2, offset /= 2) {
    if (t < d) {
      __syncthreads();
      const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      const float before = s[left];
      s[left] = s[right];
      s[right] += before;
    }
  }
  __syncthreads();
  out[2 * t] = s[2 * t], out[2 * t + 1] = s[2 * t + 1];
}

int main() {
  constexpr int n = 256;
  float *in, *out;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  for (int i = 0; i < n; ++i) in[i] = 1;
  sweep<<<1, n / 2, n * sizeof(float)>>>(in, out, n);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
