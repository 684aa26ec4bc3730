// expect: right
// Computes once, and later copies the result from a variable. Here it stores 0 instead of the copy.
constexpr int most = 1 << 16;
__device__ float kept[most];
__device__ bool has_kept[most];

__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  C[item] = has_kept[item] ? 0 : A[item] + B[item];
  kept[item] = C[item];
  has_kept[item] = true;
}
