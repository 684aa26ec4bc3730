__global__ void even_and_odd(const float* in, float* out, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2 == 0)
    out[i] = 2 * in[i];  // even
  else
    out[i] = in[i] + 1;  // odd
}

__global__ void even_and_odd_in_one_line(const float* in, float* out, int) {
  const int i = threadIdx.x;
  if (i % 2 == 0) out[i] = in[i] * in[i]; else out[i] = in[i] + 1;  // both in one line
}

__global__ void loop_of_branches(const float* in, float* out, int times) {
  for (int k = 0; k < times; ++k)
    if ((threadIdx.x + k) % 4 == 0)
      out[k % 16 * 32 + threadIdx.x] = 1;  // one
    else
      out[k % 16 * 32 + threadIdx.x] = 2;  // two
}

__global__ void guarded(const float* in, float* out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  out[i] = in[i];  // guarded copy
}

__global__ void loop(const float* in, float* out, int times) {
  float sum = 0;
  for (int k = 0; k < times; ++k)
    sum += in[k % 16 * 32 + threadIdx.x];  // adds up
  out[threadIdx.x] = sum;  // sum of a loop
}

__global__ void stride_over_all(const float* in, float* out, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    out[i] = in[i];  // strided copy
}

__global__ void sum_by_tree(const float* in, float* out, int) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      tile[threadIdx.x] += tile[threadIdx.x + half];  // tree step
  }
  if (threadIdx.x == 0) out[0] = tile[0];  // root
}

__global__ void sum_by_shuffles(const float* in, float* out, int) {
  float sum = in[threadIdx.x];
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, lanes);
    out[threadIdx.x] = sum;  // after a shuffle
  }
}

__global__ void as_often_as_its_lane(const float* in, float* out, int) {
  float sum = 0;
  for (int k = 0; k < threadIdx.x; ++k)
    sum += in[k * 32 + threadIdx.x];  // as often
  __syncwarp();
  for (int k = 0; k < 4; ++k)
    out[k * 32 + threadIdx.x] = sum;  // after the loop
}
