// expect: sanitizers
__global__ void k(int* a) {
#ifdef __SANITIZE_THREAD__
  __syncthreads();
#endif
}
