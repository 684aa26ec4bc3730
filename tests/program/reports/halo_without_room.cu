// expect: gives that many, and index 257 needs 258
// never: write: if (blockDim.x + 1 < 257)
__global__ void stencil(const float* in, float* out, int n) {
  extern __shared__ float t[];
  int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + 1;
  t[l] = in[g];
  if (threadIdx.x == 0) {
    t[0] = g > 0 ? in[g - 1] : 0;
    t[blockDim.x + 1] = g + blockDim.x < n ? in[g + blockDim.x] : 0;
  }
  __syncthreads();
  out[g] = t[l - 1] + t[l] + t[l + 1];
}
int main() {
  float *in, *out, h[512] = {};
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  stencil<<<2, 256, 257 * sizeof(float)>>>(in, out, 512);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
}
