// expect: another spelling
<:<:gnu::constructor:>:>
__global__ void k(int* a) { a[threadIdx.x] = 1; }
