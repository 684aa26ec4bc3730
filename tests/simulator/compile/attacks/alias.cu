// expect: alias
extern "C" __device__ void f() {}
extern "C" __device__ void g() __attribute__((alias("f")));
__global__ void k(int* a) { a[threadIdx.x] = 1; }
