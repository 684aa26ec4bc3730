// expect: no defect found in 5 launches
// never: converted-argument
// never: unread-parameter
#include <cuda_runtime.h>
template <class T>
struct View {
  T* data;
  __device__ View& operator=(T value) {
    data[threadIdx.x] = value;
    return *this;
  }
};
__device__ volatile int state;
__global__ void scale(float* p, int k) { p[threadIdx.x] *= k; }
__global__ void scale(float* p, float k) { p[threadIdx.x] *= k; }
__global__ void fill(View<float> view) { view = 4; }
__global__ void count(float* p, int n) { p[threadIdx.x] += n, state = n; }
double half(double size) { return size / 2; }
int main() {
  float *p, h[32], factor = 2;
  cudaMalloc(&p, sizeof h);
  fill<<<1, 32>>>({p});
  scale<<<1, 32>>>(p, 2);
  scale<<<1, 32>>>(p, 1.5f);
  scale<<<1, 32>>>(p, factor);
  const auto size = static_cast<int>(half(5));
  count<<<1, 1>>>(p, size);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  int last = 0;
  cudaMemcpyFromSymbol(&last, state, sizeof last);
  cudaFree(p);
  return h[0] != 26 || last != 2;
}
