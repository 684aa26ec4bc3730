// expect: write: __syncthreads(); between line 10 and line 12
// expect: 1 defect found
__global__ void stencil(const int* in, int* out, int n) {
  __shared__ int tile[128 + 6];
  int g = threadIdx.x + blockIdx.x * blockDim.x, l = threadIdx.x + 3;
  tile[l] = in[g];
  if (threadIdx.x < 3) {
    tile[l - 3] = g >= 3 ? in[g - 3] : 0;
    tile[l + 128] = g + 128 < n ? in[g + 128] : 0;
  }
  int sum = 0;
  for (int o = -3; o <= 3; o++) sum += tile[l + o];
  out[g] = sum;
}
int main() {
  int n = 1024, *a, *b;
  cudaMallocManaged(&a, n * 4);
  cudaMallocManaged(&b, n * 4);
  for (int i = 0; i < n; i++) a[i] = 1;
  stencil<<<n / 128, 128>>>(a, b, n);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
