// expect: DEFECT copy-size cudaMemcpy2D copies 100 bytes of each row; a row has 400, in 100 elements
// expect: write: count * sizeof(element), which is 400
#include <cstdio>
int main() {
  int w = 100, h = 50;
  float* d;
  size_t pitch;
  cudaMallocPitch(&d, &pitch, w * 4, h);
  float* rows = new float[w * h]();
  cudaMemcpy2D(d, pitch, rows, w, w, h, cudaMemcpyHostToDevice);
  cudaMemcpy2D(rows, w * 4, d, pitch, w * 4, h, cudaMemcpyDeviceToHost);
  printf("%g", rows[5]);
  delete[] rows;
  cudaFree(d);
}
