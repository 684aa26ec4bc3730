// expect: after cudaDeviceReset, which has freed all memory
int main() {
  float* p;
  cudaMalloc(&p, 1024);
  cudaMemset(p, 0, 1024);
  cudaDeviceReset();
  cudaFree(p);
}
