// expect: DEFECT copy-size
// expect: kernel sums was launched here, with 125 blocks
// expect: write: count * sizeof(element), which is 500
#include <cstdio>
#include <cstdlib>
const int BLOCK = 4;
__global__ void sums(int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x;
}
int main() {
  const int n = 1000, blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
  int *out, *part = new int[blocks];
  cudaMalloc(&out, blocks * sizeof(int));
  sums<<<blocks, BLOCK>>>(out);
  cudaMemcpy(part, out, blocks, cudaMemcpyDeviceToHost);
  printf("%d\n", part[0]);
  cudaFree(out);
  delete[] part;
}
