// expect: __declspec
__declspec(noinline) __global__ void k(int* a) { a[threadIdx.x] = 1; }
