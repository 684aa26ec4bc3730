// never: result-not-copied
// expect: no defect found
#include <cstdio>
__global__ void step(float* place, float* speed) {
  speed[threadIdx.x] += 0.5f;
  place[threadIdx.x] += speed[threadIdx.x];
}
int main() {
  float *place, *speed, h[32];
  cudaMalloc(&place, 128), cudaMalloc(&speed, 128);
  cudaMemset(place, 0, 128), cudaMemset(speed, 0, 128);
  for (int i = 0; i < 4; ++i) step<<<1, 32>>>(place, speed);
  cudaMemcpy(h, place, 128, cudaMemcpyDeviceToHost);
  printf("%g\n", h[0]);
  cudaFree(place), cudaFree(speed);
}
