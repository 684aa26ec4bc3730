// expect: DEFECT double-free
// expect: write: Type(const Type&) = delete: a copy of the object frees the memory in its destructor, too
// expect: this uses the memory after that
// never: DEFECT use-after-free
// expect: 1 defect found
#include <cstdio>

struct Buffer {
  float* data;
  int n;
  Buffer(int n) : n(n) { cudaMalloc(&data, n * sizeof(float)); }
  ~Buffer() { cudaFree(data); }
};

__global__ void fill(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

void launch(Buffer b) { fill<<<(b.n + 255) / 256, 256>>>(b.data, b.n); }

int main() {
  const int n = 1000;
  float* x = new float[n];
  Buffer b(n);
  launch(b);
  cudaDeviceSynchronize();
  launch(b);
  cudaMemcpy(x, b.data, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", x[10]);
  delete[] x;
}
