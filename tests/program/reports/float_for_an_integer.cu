// expect: note converted-argument 2.5f loses its fraction, since the parameter is 'int n'
// expect: float_for_an_integer.cu:18: scale<<<1, 64>>>(d, n, 2.5f);
// never: float_for_an_integer.cu:19
// never: float_for_an_integer.cu:20
__global__ void scale(float* x, float a, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = a * x[i];
}

template <class T>
__global__ void shift(float* x, T by) { x[threadIdx.x] += by; }

int main() {
  float *d, h[64], a = 2;
  int n = 64;
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  scale<<<1, 64>>>(d, n, 2.5f);
  scale<<<1, 64>>>(d, a, n);
  shift<<<1, 64>>>(d, a);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(d);
}
