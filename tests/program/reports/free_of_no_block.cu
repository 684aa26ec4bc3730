// expect: out-of-bounds, 28 times
// expect: host-crash the host follows a pointer that is no address: it has no value, or was overwritten
// expect: free_of_no_block.cu:16: free(h);
// never: so what was wrong with it is not known
#include <cstdlib>

__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
}

int main() {
  int *x, *h = (int*)0x1234567;
  cudaMalloc(&x, 100 * sizeof(int));
  fill<<<1, 128>>>(x, 100); cudaDeviceSynchronize(); cudaFree(x);
  free(h);
}
