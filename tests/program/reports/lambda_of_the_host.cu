// expect: write: [=] __device__ (...) { ... }, and give nvcc the option --extended-lambda
template <class F>
__global__ void k(F f, int* x) {
  x[0] = f(1);
}
int main() {
  int* x;
  cudaMalloc(&x, 4);
  k<<<1, 1>>>([](int a) { return a + 1; }, x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
