// expect: no defect found
// never: work-at-end
#include <cstdlib>
__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int main() {
  int* a;
  cudaMallocManaged(&a, 128);
  fill<<<1, 32>>>(a);
  exit(1);
}
