// expect: race-global
// expect: data race in global memory
// expect: write: atomicAdd(&x[0], 2)
// never: atomicAdd(&s[t], v)
// never: to another array
__global__ void sums(int* x) {
  __shared__ int s[64];
  int t = threadIdx.x, v = 1;
  s[t] = x[t]; __syncwarp(); s[t] += v; __syncwarp(); if ((t & 31) == 0) x[t / 32] = s[t];
}
__global__ void twos(int* x) { int t = threadIdx.x; if (t > 1) { x[0] += 2; } }

int main() {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  sums<<<1, 64>>>(x);
  twos<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
