__global__ void fault_in_a_loop(int* out) {
  const int mine = out[threadIdx.x];
  if (threadIdx.y == 3 && threadIdx.z == 1) *(int*)0x10 = mine;  // line 3
}

__global__ void fault_in_a_ring(int* out) {
  __syncthreads();
  if (threadIdx.x == 1) return;
  __syncthreads();
  if (threadIdx.y == 2 && threadIdx.z == 1) *(int*)0x10 = out[0];  // line 10
}

__global__ void diverge_late(int* out) {
  for (int turn = 0; turn < 3; ++turn) __syncthreads();
  if (threadIdx.x % 2 == 0) return;
  if (threadIdx.x < 40)
    __syncthreads();  // line 17
  else
    __syncthreads();  // line 19
  out[0] = 1;
}

__global__ void stand_still(int* out) {
  __syncthreads();
  if (threadIdx.x < 16) __shfl_sync(0xffffffff, out[0], 0);  // line 25
  __syncthreads();  // line 26
}

__global__ void fault_between_barriers(int* out) {
  __shared__ int sum;
  const int mine = out[threadIdx.x];
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.y == 1) sum = i;
    __syncthreads();
    if (sum == 2 && threadIdx.x == 1 && threadIdx.y == 4 && threadIdx.z == 0) *(int*)0x10 = mine;  // line 35
    __syncthreads();
  }
}

__global__ void wrong_index_between_barriers(int* out) {
  __shared__ int sums[8];
  sums[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = sums[0];
}
