// expect: sanitizers
_Pragma("clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)")
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
