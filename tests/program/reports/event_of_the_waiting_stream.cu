// expect: race-streams
// expect: write: cudaEventRecord in line 23 in the stream of line 22: it is in the stream that waits
#include <cstdio>

__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

__global__ void twice(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

int main() {
  const int n = 256;
  int y[n], *dx, *dy;
  cudaMalloc(&dx, sizeof y), cudaMalloc(&dy, sizeof y);
  cudaStream_t s[2];
  cudaEvent_t done;
  cudaStreamCreate(&s[0]), cudaStreamCreate(&s[1]), cudaEventCreate(&done);
  fill<<<1, n, 0, s[1]>>>(dx, n);
  cudaEventRecord(done, s[0]);
  cudaStreamWaitEvent(s[0], done, 0);
  twice<<<1, n, 0, s[0]>>>(dx, dy, n);
  cudaDeviceSynchronize();
  cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
  printf("%d\n", y[9]);
  cudaEventDestroy(done), cudaStreamDestroy(s[0]), cudaStreamDestroy(s[1]);
  cudaFree(dx), cudaFree(dy);
}
