// expect: DEFECT copy-size cudaMemcpyToSymbol is given sizeof of a pointer, which is 8 bytes; the memory has 64
// never: 2 times
__constant__ float weights[16];
__global__ void scale(float* y) { y[threadIdx.x] = weights[0]; }
int main() {
  float* y;
  float host[16] = {2};
  float* p = host;
  cudaMallocManaged(&y, 128);
  cudaMemcpyToSymbol(weights, p, sizeof(p));
  scale<<<1, 32>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
