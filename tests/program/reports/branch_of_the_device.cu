// expect: note branch-of-device the host takes the branch of the device here
// never: DEFECT
#include <cstdio>
#define BOTH_SIDES __host__ __device__
__device__ void guarded(double* x) { atomicAdd(x, 1.0); }

BOTH_SIDES int side() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 0;
#endif
}

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
