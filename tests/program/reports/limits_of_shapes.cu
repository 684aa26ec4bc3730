// expect: write: at most 65 535 blocks in y and in z; x has room for more
// expect: write: at most 64 threads in z, and more in x or y, or more blocks
// never: cudaGetLastError
__global__ void nothing() {}

int main() {
  nothing<<<dim3(1, 70000), 1>>>();
  nothing<<<1, dim3(1, 1, 128)>>>();
  cudaDeviceSynchronize();
}
