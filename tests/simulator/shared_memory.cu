extern __shared__ float at_file_scope[];

__global__ void reverse(const int* in, int* out) {
  __shared__ int tile[64];
  const int item = blockIdx.x * 64 + threadIdx.x;
  tile[63 - threadIdx.x] = in[item];
  __syncthreads();
  out[item] = tile[threadIdx.x];
}

__global__ void transpose(const int* in, int* out) {
  __shared__ int tile[8][9];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <class T, int count>
__device__ T rotated(T mine) {
  __shared__ T tile[count];
  tile[threadIdx.x] = mine;
  __syncthreads();
  return tile[(threadIdx.x + 1) % count];
}

__global__ void rotate(const int* in, int* out) {
  out[threadIdx.x] = rotated<int, 48>(in[threadIdx.x]) + rotated<double, 48>(in[threadIdx.x] * 1000.0);
}

template <int count>
__global__ void sum(const int* in, int* out) {
  __shared__ int tile[count];
  tile[threadIdx.x] = in[threadIdx.x];
  for (int half = count / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *out = tile[0];
}
template __global__ void sum<64>(const int*, int*);

__global__ void reverse_dynamic(const int* in, int* out) {
  extern __shared__ int words[];
  words[blockDim.x - 1 - threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x];
}

__global__ void alias(const int* in, int* out) {
  extern __shared__ int words[];
  extern __shared__ __align__(16) unsigned char bytes[];
  at_file_scope[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int same = (void*)words == (void*)bytes && (void*)words == (void*)at_file_scope;
  const int difference = __float_as_int(at_file_scope[threadIdx.x]) - words[threadIdx.x];
  out[threadIdx.x] = same ? difference + bytes[4 * threadIdx.x + 3] : -1;
}

__global__ void look_at_the_garbage(const int* in, int* out) {
  __shared__ int tile[3];
  extern __shared__ int words[];
  int* const row = out + 4 * blockIdx.x;
  if (blockIdx.x >= in[0]) return;
  row[0] = tile[0], row[1] = tile[2], row[2] = words[0], row[3] = words[7];
  tile[0] = tile[2] = words[0] = words[7] = 5;
}

__global__ void just_fits(const int* in, int* out) {
  __shared__ int tile[12 * 1024];
  for (int i = threadIdx.x; i < 12 * 1024; i += blockDim.x) tile[i] = i * in[0];
  __syncthreads();
  out[threadIdx.x] = tile[12 * 1024 - 1 - threadIdx.x];
}
