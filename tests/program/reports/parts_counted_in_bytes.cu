// expect: no defect found
// never: copy-size
#include <cstdio>
__global__ void sq(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
int main() {
  const int n = 1000, chunk = 250, length = chunk * 4;
  int x[n], y[n], *dx, *dy;
  for (int i = 0; i < n; i++) x[i] = i;
  cudaMalloc(&dx, n * sizeof(int));
  cudaMalloc(&dy, n * sizeof(int));
  for (int c = 0; c < 4; c++) {
    cudaMemcpy((char*)dx + c * length, (char*)x + c * length, length, cudaMemcpyHostToDevice);
    sq<<<1, 256>>>(dx + c * chunk, dy + c * chunk, chunk);
    cudaMemcpy(y + c * chunk, dy + c * chunk, length, cudaMemcpyDeviceToHost);
  }
  printf("%d\n", y[999]);
  cudaFree(dx);
  cudaFree(dy);
}
