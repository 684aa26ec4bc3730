// expect: no defect found
struct Table {
  float values[8000];
};
__global__ void sum(Table table, float* a) { a[threadIdx.x] = table.values[threadIdx.x] + table.values[7999]; }
int main() {
  Table table = {};
  float *a, h[32];
  cudaMalloc(&a, sizeof h);
  sum<<<1, 32>>>(table, a);
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(a);
  return h[3] != 0;
}
