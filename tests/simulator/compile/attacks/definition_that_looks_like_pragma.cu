// expect: asm
#define WORD as##m // pragma include
__global__ void k(int* a) { WORD("nop"); }
