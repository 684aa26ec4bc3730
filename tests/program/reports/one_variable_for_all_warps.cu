// expect: write: __syncthreads(); between line 7 and line 9
// never: __syncwarp
__global__ void announce(int* out) {
  __shared__ int leader;
  if (threadIdx.x == 7) leader = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = leader;
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x == 0) leader = k;
    __syncthreads();
    out[threadIdx.x] += leader;
    __syncthreads();
  }
}

int main() {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  announce<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
