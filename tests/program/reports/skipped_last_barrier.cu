// expect: skipped_last_barrier.cu:15: if (o < 128) __syncthreads(); this barrier is skipped where its condition is false
// expect: write: __syncthreads(); without its condition, in line 15
// never: next call
#include <cstdio>

__global__ void scan(const int* in, int* out) {
  __shared__ int s[2][256];
  int t = threadIdx.x, b = 0;
  s[0][t] = in[t];
  __syncthreads();
  for (int o = 1; o < 256; o *= 2) {
    s[1 - b][t] = t >= o ? s[b][t] + s[b][t - o] : s[b][t];
    b = 1 - b;
    // Saves the barrier in the last iteration.
    if (o < 128) __syncthreads();
  }
  out[t] = s[b][255 - t];
}

int main() {
  int h[256], *d, *o;
  for (int i = 0; i < 256; ++i) h[i] = 1;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&o, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  scan<<<1, 256>>>(d, o);
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(d);
  cudaFree(o);
}
