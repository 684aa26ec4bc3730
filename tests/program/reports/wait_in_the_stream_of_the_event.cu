// expect: DEFECT race-streams
// expect: write: cudaStreamWaitEvent before line 20, in its stream, for the event that is recorded in line 18
// never: this orders nothing
#include <cstdio>
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreate(&done);
  int *x, *h;
  cudaMalloc(&x, 256);
  cudaMallocHost(&h, 256);
  for (int c = 0; c < 2; ++c) {
    if (c > 0) cudaStreamWaitEvent(a, done, 0);
    fill<<<1, 64, 0, a>>>(x);
    cudaEventRecord(done, a);
  }
  cudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost, b);
  cudaStreamSynchronize(b);
  printf("%d\n", h[63]);
  cudaEventDestroy(done), cudaStreamDestroy(a), cudaStreamDestroy(b), cudaFree(x), cudaFreeHost(h);
}
