// expect: does not compile
__global__ void k(int* a) { \u0061sm("nop"); }
