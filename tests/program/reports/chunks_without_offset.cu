// expect: race-streams
// expect: an offset in line 29, as in pointer + begin
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}

int main() {
  const int n = 4096, chunks = 4, size = n / chunks;
  float *h, *d_x;
  cudaMallocHost(&h, n * sizeof(float));
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaStream_t streams[2];
  for (int s = 0; s < 2; s++) cudaStreamCreate(&streams[s]);
  for (int c = 0; c < chunks; c++) {
    int begin = c * size;
    cudaStream_t stream = streams[c % 2];
    cudaMemcpyAsync(d_x + begin, h + begin, size * sizeof(float), cudaMemcpyHostToDevice, stream);
    twice<<<(size + 255) / 256, 256, 0, stream>>>(d_x, size);
    cudaMemcpyAsync(h + begin, d_x + begin, size * sizeof(float), cudaMemcpyDeviceToHost, stream);
  }
  cudaDeviceSynchronize();
  printf("%f\n", h[n - 1]);
  for (int s = 0; s < 2; s++) cudaStreamDestroy(streams[s]);
  cudaFree(d_x);
  cudaFreeHost(h);
}
