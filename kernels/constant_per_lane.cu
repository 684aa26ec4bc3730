// C[i] = (A[i] + B[i]) * factors[block of i], for i in [0, size)

// A copy of each factor for each lane of a warp. In shared memory that avoids bank conflicts. In constant memory it is
// the worst case: 32 lanes want 32 words, and constant memory serves one address at a time (serialisation).
__constant__ float factors_per_lane[16384];

__global__ void sum_and_multiply_per_lane(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  if (item < size) C[item] = (A[item] + B[item]) * factors_per_lane[blockIdx.x * 32 + lane];
}
