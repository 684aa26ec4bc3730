// expect: sanitizers
#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
