// expect: DEFECT grid-too-small kernel scale has 256 threads for 1 000 elements
__global__ void scale(float* x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
int main() {
  const int n = 1000;
  static float host[n];
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<1, 256>>>(x, 2, n);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(x);
}
