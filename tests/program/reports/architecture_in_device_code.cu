// never: branch-of-device
#include <cstdio>
#define BOTH_SIDES __host__ __device__
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double* x, double value) { return *x += value; }
#endif

__device__ void guarded(double* x) {
#if __CUDA_ARCH__ < 600
  *x += 1;
#else
  atomicAdd(x, 1.0);
#endif
}

BOTH_SIDES int side() { return 1; }

__global__ void k(int* x, double* y) {
  guarded(y);
  x[threadIdx.x] = side();
}

int main() {
  int *x, h[32];
  double *y, sum;
  cudaMalloc(&x, sizeof(h));
  cudaMalloc(&y, sizeof(sum));
  cudaMemset(y, 0, sizeof(sum));
  k<<<1, 32>>>(x, y);
  cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost);
  cudaMemcpy(&sum, y, sizeof(sum), cudaMemcpyDeviceToHost);
  std::printf("%d %d %g\n", h[3], side(), sum);
  cudaFree(x);
  cudaFree(y);
}
