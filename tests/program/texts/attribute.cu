// expect: sanitizers
__attribute__((no_sanitize("thread"))) __global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
