// expect: write: if (x < width && y < height) before the access
// never: atomicAdd
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void add(float* m, int w, int h) {
  int x = blockIdx.x*blockDim.x + threadIdx.x;
  int y = blockIdx.y*blockDim.y + threadIdx.y;
  m[y*w + x] += 1;
}
int main() {
  int w = 64, h = 64;
  std::vector<float> m(w*h, 1);
  float *dm;
  cudaMalloc(&dm, w*h*sizeof(float));
  cudaMemcpy(dm, m.data(), w*h*sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(16, 16), grid(5, 5);
  add<<<grid, block>>>(dm, w, h);
  cudaMemcpy(m.data(), dm, w*h*sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", m[999]);
  cudaFree(dm);
}
