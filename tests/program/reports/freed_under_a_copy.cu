// expect: cudaMemsetAsync uses the 4 000 bytes that cudaMallocAsync gave in line 14 after they were freed; it was called before that, but in another stream, and no event orders the two
// expect: freed_under_a_copy.cu:17: cudaFreeAsync(d, b); it was freed here
// expect: write: cudaEventRecord(event, its stream) and cudaStreamWaitEvent(stream, event) before cudaFreeAsync(pointer, stream)
// expect: 1 defect found
// never: the host follows a pointer
__global__ void fill(float* p, int n) {
  if (threadIdx.x < n) p[threadIdx.x] = threadIdx.x;
}
int main() {
  float* d;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMallocAsync(&d, 4000, a);
  cudaMemsetAsync(d, 0, 4000, a);
  fill<<<1, 1000, 0, a>>>(d, 1000);
  cudaFreeAsync(d, b);
  cudaDeviceSynchronize();
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
