// expect: asm
#pragma unroll /*
R"( */
__global__ void k(int* a) { asm("nop"); }
/* )" */
