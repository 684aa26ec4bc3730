struct Pair {
  double value;
  char kind;
  int count;
};

__global__ void twelve_into_eight(const int* in, int* out) {
  __shared__ char box[8];
  if (threadIdx.x == 0) __builtin_memcpy(box, in, 12);  // of shared
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x % 8];
}

__global__ void twelve_into_eight_of_its_own(const int* in, int* out) {
  char box[8];
  memcpy(box, in + threadIdx.x, 12);  // of its own
  out[threadIdx.x] = box[3];
}

__global__ void past_the_end(const int* in, int* out) {
  if (threadIdx.x == 0) memset(out + 3998, 0, 12);  // past the end
}

__global__ void overlapping(const int* in, int* out) {
  __builtin_memcpy((char*)out + 8 * threadIdx.x, in + threadIdx.x, 12);  // overlap
}

__global__ void set_without_barrier(const int* in, int* out) {
  __shared__ int bins[64];
  if (threadIdx.x == 0) memset(bins, 0, sizeof bins);  // set
  atomicAdd(&bins[in[threadIdx.x] % 64], 1);  // count
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void half_of_it_written(const int* in, int* out) {
  __shared__ int tile[8];
  if (threadIdx.x < 4) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) memcpy(out, tile, sizeof tile);  // half
}

__global__ void copies(const int* in, int* out) {
  __shared__ Pair pairs[64];
  Pair mine;
  mine.value = in[threadIdx.x];
  mine.kind = 1;
  mine.count = threadIdx.x;
  memcpy(&pairs[threadIdx.x], &mine, sizeof mine);
  __syncthreads();
  memmove(&mine, &pairs[(threadIdx.x + 1) % 64], sizeof mine);
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine.count;
}

__global__ void takes_and_gives_back(const int* in, int* out) {
  int* const mine = (int*)malloc(16 * sizeof(int));
  if (!mine) return;
  for (int i = 0; i < 16; ++i) mine[i] = in[i];
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += mine[i];
  free(mine);
  int* const more = new int[2];
  more[1] = sum;
  out[blockIdx.x * blockDim.x + threadIdx.x] = more[1];
  delete[] more;
}

__global__ void past_its_memory(const int* in, int* out) {
  int* const mine = (int*)malloc(16 * sizeof(int));
  mine[16] = in[0];  // seventeenth
}

__global__ void after_it_was_freed(const int* in, int* out) {
  int* const mine = new int[4];
  mine[0] = in[1];
  delete[] mine;
  out[threadIdx.x] = mine[0];  // freed
}

__global__ void freed_twice(const int* in, int* out) {
  int* const mine = (int*)malloc(16);
  free(mine);
  free(mine);  // again
}

__global__ void until_there_is_none(const int* in, int* out) {
  if (threadIdx.x == 0) while (malloc(1 << 20)) ++out[0];
}

__global__ void asserts(const int* in, int* out) {
  assert(in[threadIdx.x] >= 0);
  assert(in[threadIdx.x] < 50 && "too large");  // does not hold
  out[threadIdx.x] = 1;
}

__global__ void prints(const int* in, int* out) {
  if (threadIdx.x > 1) return;
  printf("%d.%u %5.2f %s %lld%%\n", blockIdx.x, threadIdx.x, 1.5, "text", 5ll);
  printf("[%s] [%-4d] [%*d]\n", (const char*)1234, 7, 3, 9);
}
