// expect: line 4 has floating_point, which C++20 has: add -std=c++20
#include <cstdio>
#include <concepts>
template <std::floating_point T> __global__ void k(T* a, int n){ a[threadIdx.x]=n; }
int main(){ float* a; cudaMalloc(&a,128); k<<<1,32>>>(a,32); float h[32]; cudaMemcpy(h,a,128,cudaMemcpyDeviceToHost); printf("%g\n",h[0]); cudaFree(a); return 0; }
