// expect: kernel consume reads element 0
// expect: kernel consume writes element 0
// expect: 2 defects found
#include <cstdio>
__global__ void produce(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i * 0.5f;
}
__global__ void consume(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}
int main() {
  const int n = 1 << 14;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaStream_t s1, s2;
  cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaEventRecord(e, s1);
  produce<<<n / 256, 256, 0, s1>>>(x, n);
  cudaStreamWaitEvent(s2, e, 0);
  consume<<<n / 256, 256, 0, s2>>>(x, y, n);
  cudaMemset(y, 0, n * 4);
  float h;
  cudaMemcpy(&h, y + 5, 4, cudaMemcpyDeviceToHost);
  printf("%g\n", h);
  cudaDeviceSynchronize();
  cudaEventDestroy(e);
  cudaStreamDestroy(s1);
  cudaStreamDestroy(s2);
  cudaFree(x);
  cudaFree(y);
}
