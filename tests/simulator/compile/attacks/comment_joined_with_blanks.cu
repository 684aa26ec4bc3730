// expect: asm
// \ 
/*
__global__ void k(int* a) { asm("nop"); }
// */
