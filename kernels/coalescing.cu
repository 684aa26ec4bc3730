// output[i] = 2 * input[i], for i in [0, size): in which order do the threads of a warp go through memory?

// A warp asks for memory in sectors of 32 bytes. Neighbouring threads that take neighbouring elements need four of them
// for 32 floats; with `stride` elements between neighbours each sector serves fewer threads, and from stride 8 on only
// one, while the rest of it was fetched for nothing. The threads of the grid go through one column after another.
__global__ void scale_strided(const float* input, float* output, int size, int stride) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int columns = (size + stride - 1) / stride;
  const int item = thread % columns * stride + thread / columns;
  if (thread < columns * stride && item < size) output[item] = 2 * input[item];
}

// Neighbours take neighbours, but the first thread of a warp does not begin at a sector: 32 floats lie in five of them.
// The last thread takes the first element.
__global__ void scale_misaligned(const float* input, float* output, int size) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int item = thread + 1 < size ? thread + 1 : 0;
  if (thread < size) output[item] = 2 * input[item];
}

// An array of structures: x, y, z and w of a point lie side by side. Who needs only x fetches all four.
__global__ void scale_array_of_structs(const float4* points, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) output[item] = 2 * points[item].x;
}

// A structure of arrays: all x lie side by side, and y, z and w are elsewhere.
__global__ void scale_struct_of_arrays(const float* x, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) output[item] = 2 * x[item];
}
