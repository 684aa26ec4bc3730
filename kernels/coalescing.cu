// output[i] = 2 * input[i], for i in [0, size). In which order do the threads of a warp go through memory?

// Memory comes in sectors of 32 bytes. If neighbouring threads take neighbouring elements, the access is coalesced: a
// warp needs four sectors for its 32 floats. With `stride` elements between neighbours, each sector serves fewer
// threads. From stride 8 on a sector serves only one, and its other bytes are fetched for nothing. The array is
// treated as rows of `stride` elements, and the threads of the grid go down one column after another.
__global__ void scale_strided(const float* input, float* output, int size, int stride) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int rows = (size + stride - 1) / stride;
  const int item = thread % rows * stride + thread / rows;
  if (thread < rows * stride && item < size) output[item] = 2 * input[item];
}

// Misaligned access: neighbouring threads take neighbouring elements, but a warp does not begin at the start of a
// sector. Its 32 floats are in five sectors. The last thread takes the first element.
__global__ void scale_misaligned(const float* input, float* output, int size) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int item = thread + 1 < size ? thread + 1 : 0;
  if (thread < size) output[item] = 2 * input[item];
}

// An array of structures (AoS): x, y, z and w of a point are side by side. A kernel that needs only x fetches all four.
__global__ void scale_array_of_structs(const float4* points, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) output[item] = 2 * points[item].x;
}

// A structure of arrays (SoA): all x are side by side, and y, z and w are elsewhere.
__global__ void scale_struct_of_arrays(const float* x, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) output[item] = 2 * x[item];
}
