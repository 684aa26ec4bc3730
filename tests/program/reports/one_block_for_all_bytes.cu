// expect: kernel brighten has 256 threads for 1 000 elements, and none of them reaches the last 744
__global__ void brighten(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] < 245 ? in[i] + 10 : 255;
}
int main() {
  const int n = 1000;
  unsigned char host[n] = {}, *in, *out;
  cudaMalloc(&in, n);
  cudaMalloc(&out, n);
  cudaMemcpy(in, host, n, cudaMemcpyHostToDevice);
  brighten<<<1, 256>>>(in, out, n);
  cudaMemcpy(host, out, n, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
}
