// expect: nvcc does not compile printf here
// expect: write: #include <cstdio>
__global__ void k() {
  printf("hi %d\n", threadIdx.x);
}
int main() {
  k<<<1, 2>>>();
  cudaDeviceSynchronize();
  printf("host\n");
  return 0;
}
