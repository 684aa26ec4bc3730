// expect: 
#define FILE_NAME "/etc/hostname"
#include FILE_NAME
__global__ void k(int* a) { a[threadIdx.x] = 1; }
