// expect: no defect found in 1 launch
__device__ int sums[64];
__global__ void add(int a, int b, int c) { sums[threadIdx.x] = a + b + c; }
int main() {
  int h[64];
  add<<<1, 64>>>(1, 2, 3);
  cudaMemcpyFromSymbol(h, sums, sizeof h);
  return h[63] != 6;
}
