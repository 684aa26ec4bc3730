// expect: by its path
#include "/etc/hostname"
__global__ void k(int* a) { a[threadIdx.x] = 1; }
