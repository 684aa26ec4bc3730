// expect: return_before_barriers.cu:9: if (i >= n) return; some threads return here
// expect: write: no return before a barrier
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  for (int d = blockDim.x/2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
int main() {
  int n = 1000;
  std::vector<float> x(n, 1), y(4);
  float *dx, *dy;
  cudaMalloc(&dx, n*sizeof(float));
  cudaMalloc(&dy, 4*sizeof(float));
  cudaMemcpy(dx, x.data(), n*sizeof(float), cudaMemcpyHostToDevice);
  sum<<<4, 256>>>(dx, dy, n);
  cudaMemcpy(y.data(), dy, 4*sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", y[0]);
  cudaFree(dx); cudaFree(dy);
}
