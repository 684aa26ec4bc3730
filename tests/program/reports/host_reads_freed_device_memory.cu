// expect: the host follows a pointer to memory of the device that was freed
// expect: it was freed here
// never: cudaMemcpy
#include <cstdio>
struct Buf {
  float* p;
  explicit Buf(int n) { cudaMalloc(&p, n * sizeof(float)); }
  ~Buf() { cudaFree(p); }
};
__global__ void k(float* x) { x[threadIdx.x] = 1; }
void use(Buf b) {
  k<<<1, 32>>>(b.p);
}
int main() {
  Buf b(32);
  use(b);
  cudaDeviceSynchronize();
  float s = 0;
  for (int i = 0; i < 32; ++i)
    s += b.p[i];
  printf("%g\n", s);
}
