// expect: too_many_constants.cu has 72000 bytes of constant memory, a module has at most 65536
// never: ended by _exit
__constant__ float factors[18000];
__global__ void scale(float* x) { x[0] *= factors[3]; }

int main() {
  float* x;
  cudaMalloc(&x, sizeof(float));
  cudaMemset(x, 0, sizeof(float));
  scale<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
