// expect: line 4: the kernel k uses total, a variable of the host (line 3): pass it as an argument, or declare it __device__ or __constant__
// Nothing hides it.
int total = 0;
__global__ void k(int*) { atomicAdd(&total, 1); }
int main() { k<<<1, 1>>>(nullptr); }
