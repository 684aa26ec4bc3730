// expect: rand() is a function of the host's library, and the kernel k calls it
#include <cstdlib>
__global__ void k(int* a) { a[threadIdx.x] = rand(); }
int main() { k<<<1, 1>>>(nullptr); }
