// expect: #line
# 1 "header.h" 1 3
__global__ void k(int* a) { a[threadIdx.x] = 1; }
