// expect: #line
#line 1 "prelude.cuh"
#line 1 "/etc/passwd"
__global__ void k(int* a) { a[threadIdx.x] = 1; }
