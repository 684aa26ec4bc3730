// expect: the atomicExch in line 4 tells the other thread of that write
// expect: write: __threadfence(); between the store and the atomicExch in line 4
__device__ int lock, total;
__global__ void count() { while (atomicCAS(&lock, 0, 1) != 0); total++; atomicExch(&lock, 0); }
int main() {
  count<<<2, 64>>>();
  cudaDeviceSynchronize();
}
