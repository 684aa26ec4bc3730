// expect: no defect found
// never: nobody has written
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void sum(const int* a, const int* b, const int* c, const int* d, int* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) e[i] = a[i] + b[i] + c[i] + d[i];
}

int main() {
  const int n = 100;
  int a[n] = {}, b[n];
  int* c = new int[n]();
  int* d = (int*)malloc(n * sizeof(*d));
  for (int i = 0; i < n; ++i) b[i] = i;
  memset(d, 0, n * sizeof(int));
  int* on_device[5];
  for (int*& array : on_device) cudaMalloc(&array, n * sizeof(int));
  cudaMemcpy(on_device[0], a, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(on_device[1], b, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(on_device[2], c, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(on_device[3], d, n * sizeof(int), cudaMemcpyHostToDevice);
  sum<<<1, 128>>>(on_device[0], on_device[1], on_device[2], on_device[3], on_device[4], n);
  cudaMemcpy(a, on_device[4], sizeof a, cudaMemcpyDeviceToHost);
  printf("%d\n", a[10]);
  for (int* array : on_device) cudaFree(array);
  delete[] c;
  free(d);
}
