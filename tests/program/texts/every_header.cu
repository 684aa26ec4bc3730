// expect: compiles
#include <bits/stdc++.h>
#include <cuda_runtime.h>
__noinline__ __device__ int one() { return 1; }
__global__ void k(int* a) { a[threadIdx.x] = one(); }
int main() { std::vector<int> v(3); k<<<1, 32>>>(nullptr); }
