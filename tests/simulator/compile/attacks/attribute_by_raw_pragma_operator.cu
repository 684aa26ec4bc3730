// expect: pragma
_Pragma(R"(GCC optimize("O3"))")
__global__ void k(int* a) { a[threadIdx.x] = 1; }
