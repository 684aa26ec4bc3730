// expect: asm
__device__ const char* text = R"x(")x"; __global__ void k(int* a) { asm("nop"); } __device__ const char* more = R"x(")x";
