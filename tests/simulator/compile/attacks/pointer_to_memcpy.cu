// expect: memcpy() can be called, but its address cannot be taken
__device__ void* (*copy)(void*, const void*, size_t) = memcpy;
__global__ void k(int* a, int* b) { copy(a, b, 4); }
