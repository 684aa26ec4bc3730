// expect: line 4: a { is never closed: write } where its block ends
__global__ void add(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { b[i] = a[i] + 1;
}
int main() {
  float* a = nullptr;
  cudaMalloc(&a, 400);
  add<<<1, 100>>>(a, a, 100);
  cudaDeviceSynchronize();
}
