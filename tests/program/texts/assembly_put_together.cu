// expect: asm
#define WORD as##m
__global__ void k(int* a) { WORD("nop"); }
int main() { k<<<1, 32>>>(nullptr); }
