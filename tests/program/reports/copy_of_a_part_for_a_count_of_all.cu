// expect: write: n / 2 in place of n in the launch
// never: as many bytes as the kernel reads
#include <cstdio>
__global__ void inc(int* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] += 1;
}
int main() {
  const int n = 4096;
  int *h, *d;
  cudaMallocHost(&h, n * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&d, n * sizeof(int));
  cudaStream_t s[2];
  for (int k = 0; k < 2; k++) {
    cudaStreamCreate(&s[k]);
    int off = k * (n / 2);
    cudaMemcpyAsync(d + off, h + off, n / 2 * sizeof(int), cudaMemcpyHostToDevice, s[k]);
    inc<<<n / 256, 256, 0, s[k]>>>(d + off, n);
    cudaMemcpyAsync(h + off, d + off, n / 2 * sizeof(int), cudaMemcpyDeviceToHost, s[k]);
    cudaStreamSynchronize(s[k]);
  }
  printf("%d\n", h[5]);
  for (int k = 0; k < 2; k++) cudaStreamDestroy(s[k]);
  cudaFree(d);
  cudaFreeHost(h);
}
