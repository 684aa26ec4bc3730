// expect: no defect found
// never: does not link
#define SHARED_ARRAY(type, name) extern __shared__ type name[]
#define ELEMENTS(type, name) \
  template <> struct Elements<type> { __device__ type& at(int i) { extern __shared__ type name[]; return name[i]; } };
template <class T> struct Elements {};
ELEMENTS(float, floats)
__global__ void turn(float* out) {
  SHARED_ARRAY(float, values);
  Elements<float> same;
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = same.at(threadIdx.x ^ 1);
}
int main() {
  float* out;
  cudaMallocManaged(&out, 128);
  turn<<<1, 32, 128>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
