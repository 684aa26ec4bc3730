// expect: atomicAdd(&count[key], 1)
// Four thousand threads claim keys: no order may be assumed because there are so many.
__global__ void insert(int n, int* claimed, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, key = i % 300;
  if (i >= n) return;
  __threadfence();
  int old = atomicCAS(&claimed[key], -1, key);
  if (old == -1 || old == key) count[key]++;
}
int main() {
  int *claimed, *count, host[300];
  cudaMalloc(&claimed, sizeof host);
  cudaMalloc(&count, sizeof host);
  cudaMemset(claimed, -1, sizeof host);
  cudaMemset(count, 0, sizeof host);
  insert<<<32, 128>>>(4096, claimed, count);
  cudaMemcpy(host, count, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(claimed);
  cudaFree(count);
}
