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
