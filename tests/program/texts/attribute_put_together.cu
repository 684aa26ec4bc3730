// expect: sanitizers
#define WORD no_##sanitize
__attribute__((WORD("thread"))) __global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
