// expect: sanitizers
#ifdef __SANITIZE_THREAD__
#define BARRIER __syncthreads()
#endif
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
