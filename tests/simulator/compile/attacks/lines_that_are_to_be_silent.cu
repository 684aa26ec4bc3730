// expect: #line
# 1 "lines_that_are_to_be_silent.cu" 3
__global__ void k(int* a) { a[threadIdx.x] = 1; }
