// expect: write: rows + 1 elements for cudaMalloc in line 21
// never: write: if (r + 1 < rows)
#include <cstdio>
#include <vector>
__global__ void spmv(int rows, const int* rp, const int* ci, const float* v, const float* x, float* y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float s = 0;
    for (int j = rp[r]; j < rp[r + 1]; ++j) s += v[j] * x[ci[j]];
    y[r] = s;
  }
}
int main() {
  const int rows = 100, nnz = 300;
  std::vector<int> rp(rows + 1), ci(nnz);
  std::vector<float> v(nnz, 1.0f), y(rows);
  for (int i = 0; i <= rows; ++i) rp[i] = 3 * i;
  for (int i = 0; i < nnz; ++i) ci[i] = i % 3;
  int *drp, *dci;
  float *dv, *dx, *dy;
  cudaMalloc(&drp, rows * sizeof(int));
  cudaMalloc(&dci, nnz * sizeof(int));
  cudaMalloc(&dv, nnz * sizeof(float));
  cudaMalloc(&dx, rows * sizeof(float));
  cudaMalloc(&dy, rows * sizeof(float));
  cudaMemcpy(drp, rp.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dci, ci.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dv, v.data(), nnz * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(dx, 0, rows * sizeof(float));
  spmv<<<1, 128>>>(rows, drp, dci, dv, dx, dy);
  cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", y[0]);
  cudaFree(drp);
  cudaFree(dci);
  cudaFree(dv);
  cudaFree(dx);
  cudaFree(dy);
}
