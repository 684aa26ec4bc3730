// expect: section
__attribute__((section("x\n.incbin \"/etc/passwd\""))) __device__ int x = 1;
__global__ void k(int* a) { a[threadIdx.x] = 1; }
