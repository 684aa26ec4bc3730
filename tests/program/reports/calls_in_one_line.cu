// expect: line 4 calls cudaFree with other arguments than it takes
int main() {
  float* a;
  cudaMalloc(&a, 4), cudaFree(*a);
}
