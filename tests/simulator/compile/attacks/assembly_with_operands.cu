// expect: the simulator does not have inline PTX (asm)
__global__ void k(int* a, int v) { asm volatile("" : "=r"(a[threadIdx.x]) : "r"(v)); }
