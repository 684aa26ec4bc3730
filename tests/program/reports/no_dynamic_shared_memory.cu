// expect: with the bytes of part as the third number
#include <cstdio>
__global__ void sum(const float* x, float* total, int n) {
  extern __shared__ float part[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = x[i];
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
  }
  if (threadIdx.x == 0) atomicAdd(total, part[0]);
}
int main() {
  const int n = 512;
  float h[n], t = 0;
  for (int i = 0; i < n; i++) h[i] = 1;
  float *d, *d_t;
  cudaMalloc(&d, sizeof(h));
  cudaMalloc(&d_t, sizeof(float));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaMemcpy(d_t, &t, sizeof(float), cudaMemcpyHostToDevice);
  sum<<<2, 256>>>(d, d_t, n);
  cudaMemcpy(&t, d_t, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", t);
  cudaFree(d);
  cudaFree(d_t);
}
