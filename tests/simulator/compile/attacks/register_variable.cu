// expect: asm
__global__ void k(int* a) { register long x asm("rsp"); a[0] = (int)x; }
