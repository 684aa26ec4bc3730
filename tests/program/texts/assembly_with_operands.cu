// expect: inline PTX
__global__ void k(int* a, int v) { asm volatile("" : "=r"(a[threadIdx.x]) : "r"(v)); }
int main() { k<<<1, 1>>>(nullptr, 1); }
