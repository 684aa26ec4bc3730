// expect: no defect found in 3 launches
// never: unread-parameter
using Vector = float*;
__global__ void first(float* __restrict__ out, const float* __restrict__ in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void second(float* const out, const float* in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void third(Vector out, const float* in) { out[threadIdx.x] = 3 * in[threadIdx.x]; }
int main() {
  float *in, *out, h[32];
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemset(in, 0, sizeof h);
  first<<<1, 32>>>(out, in);
  second<<<1, 32>>>(out, in);
  third<<<1, 32>>>(out, in);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return h[3] != 0;
}
