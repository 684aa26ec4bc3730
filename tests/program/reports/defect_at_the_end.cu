// expect: kernel divide was launched here note work-at-end
// expect: nothing has waited for the work of this line
// expect: 1 defect found in 1 launch
__global__ void divide(int* p, int d) { p[threadIdx.x] = 10 / d; }
int main() {
  int* p;
  cudaMalloc(&p, 128);
  divide<<<1, 32>>>(p, 0);
}
