// expect: note result-not-copied kernel copy has written to the 400 bytes that cudaMalloc gave in line 8, and nothing copies them to the host, which gets an array of that size that the kernel only reads
#include <cstdio>
__global__ void copy(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
int main() {
  float host[100] = {}, *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
  copy<<<1, 100>>>(out, in);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[0]);
  cudaFree(in);
  cudaFree(out);
}
