// never: uninitialised-global
// expect: DEFECT race-streams
// expect: record an event after kernel seed_states, and let the stream of kernel draw wait for it
// expect: 1 defect found
#include <cstdio>
struct State { unsigned value; };
__global__ void seed_states(State* states, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) states[i] = State{i * 7919u + 1};
}
__global__ void draw(State* states, float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  State local = states[i];
  local.value = local.value * 1664525u + 1013904223u;
  x[i] = local.value / 4294967296.0f;
  states[i] = local;
}
int main() {
  const int n = 1000;
  static float h[n];
  State* states;
  float* x;
  cudaMalloc(&states, n * sizeof(State)), cudaMalloc(&x, n * sizeof(float));
  cudaStream_t s1, s2;
  cudaEvent_t ready;
  cudaStreamCreate(&s1), cudaStreamCreate(&s2);
  cudaEventCreate(&ready);
  seed_states<<<(n + 127) / 128, 128, 0, s1>>>(states, n);
  cudaEventRecord(ready, s1);
  draw<<<(n + 127) / 128, 128, 0, s2>>>(states, x, n);
  cudaMemcpyAsync(h, x, n * sizeof(float), cudaMemcpyDeviceToHost, s2);
  cudaStreamSynchronize(s2), cudaStreamSynchronize(s1);
  printf("%g\n", h[n - 1]);
  cudaEventDestroy(ready), cudaStreamDestroy(s1), cudaStreamDestroy(s2);
  cudaFree(states), cudaFree(x);
}
