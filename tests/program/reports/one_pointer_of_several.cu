// expect: no defect found
#include <cstdlib>

int main() {
  int *row = new int[8], **rows = new int*[4], **device;
  rows[0] = row;
  cudaMalloc(&device, 4 * sizeof(int*));
  cudaMemcpy(device, rows, sizeof(int*), cudaMemcpyHostToDevice);
  cudaFree(device);
  delete[] row;
  delete[] rows;
}
