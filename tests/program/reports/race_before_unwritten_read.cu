// expect: kernel init was launched here, in stream 1 DEFECT uninitialised-global
#include <cublas_v2.h>
#include <cstdio>

__global__ void init(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

int main() {
  int n = 1000;
  float *x, sum;
  cudaMalloc(&x, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cublasHandle_t handle;
  cublasCreate(&handle);
  init<<<4, 256, 0, stream>>>(x, n);
  cublasSasum(handle, n, x, 1, &sum);
  printf("%g\n", sum);
  cudaStreamSynchronize(stream);
  cublasDestroy(handle);
  cudaStreamDestroy(stream);
  cudaFree(x);
}
