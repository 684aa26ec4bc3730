// expect: note race-host kernel spin may wait for this value in line 6, and the host stores it through a plain pointer
// expect: write: a volatile pointer, or an atomic, for the store
// never: DEFECT
// never: cudaDeviceSynchronize
__global__ void spin(volatile unsigned* flag, const int* data, int* out) {
  while (flag[0] < 1) {}
  *out = *data;
}
int main() {
  unsigned* flag;
  int *data, *out;
  cudaMallocHost(&flag, 4);
  cudaMallocHost(&data, 4);
  cudaMallocHost(&out, 4);
  *flag = 0;
  spin<<<1, 1>>>(flag, data, out);
  *data = 3;
  *flag = 1;
  cudaStreamSynchronize(0);
  cudaFreeHost(flag);
  cudaFreeHost(data);
  cudaFreeHost(out);
}
