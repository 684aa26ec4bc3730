// expect: asm
__global__ void k(int* a) { as\ 
m("nop"); }
