// expect: asm
#if __has_include("prelude.cuh")
__global__ void k(int* a) { asm("nop"); }
#endif
