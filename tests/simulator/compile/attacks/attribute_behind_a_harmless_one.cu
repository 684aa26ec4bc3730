// expect: sanitize
[[gnu::aligned(8), gnu::no_sanitize("thread")]] __global__ void k(int* a) { a[threadIdx.x] = 1; }
