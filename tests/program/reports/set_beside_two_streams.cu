// expect: let the stream of kernel k wait for it
// never: write: an offset
#include <cstdio>
#include <thread>
__global__ void k(int* x, int v) {
  x[threadIdx.x] += v;
}
// One thread after the other: only the set races with their kernels.
int main() {
  int* x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  for (int i = 0; i < 2; i++)
    std::thread([=] {
      cudaStream_t s;
      cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
      for (int r = 0; r < 3; r++) k<<<1, 32, 0, s>>>(x, i);
      cudaStreamSynchronize(s);
      cudaStreamDestroy(s);
    }).join();
  cudaFree(x);
}
