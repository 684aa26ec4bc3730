// expect: __threadfence(); between the two stores in line 6
// expect: 1 defect found
// never: volatile orders nothing
__device__ int data;
__device__ volatile int flag;
__global__ void wait(int* out) { if (blockIdx.x == 0) { data = 42; flag = 1; } else { while (!flag) ; *out = data; } }

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  wait<<<2, 1>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
