// expect: no defect found
// never: race
#include <cstdio>
// A scan by look-back over packed status and value, and a search that stops once somebody has found it.
__global__ void scan(const int* in, volatile unsigned long long* state, int* out, volatile int* is_found) {
  if (threadIdx.x > 0) return;
  unsigned long long sum = in[blockIdx.x];
  if (blockIdx.x > 0) {
    unsigned long long before;
    do before = state[blockIdx.x - 1];
    while (before >> 32 == 0);
    sum += before & 0xffffffff;
  }
  state[blockIdx.x] = 1ull << 32 | sum;
  out[blockIdx.x] = sum;
  if (*is_found) return;
  if (sum > 3) *is_found = 1;
}
int main() {
  int *in, *out, h[16];
  unsigned long long* state;
  for (int& value : h) value = 1;
  cudaMalloc(&in, 64), cudaMalloc(&out, 68), cudaMalloc(&state, 128);
  cudaMemcpy(in, h, 64, cudaMemcpyHostToDevice);
  cudaMemset(state, 0, 128), cudaMemset(out, 0, 68);
  scan<<<16, 32>>>(in, state, out, out + 16);
  cudaMemcpy(h, out, 64, cudaMemcpyDeviceToHost);
  printf("%d\n", h[15]);
  cudaFree(in), cudaFree(out), cudaFree(state);
}
