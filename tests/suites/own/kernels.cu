// Kernels whose defects are known. tests/suites/own_test.py says what gpulab_suites must count.

__global__ void clean(int* out) {
  out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

// Thread t reads what thread t + 1 writes.
__global__ void race(int* out) {
  out[threadIdx.x] = out[threadIdx.x + 1];
}

__global__ void same_value(int* out) {
  out[0] = 1;
}

__global__ void past_the_end(int* out) {
  out[threadIdx.x + 1] = 0;
}

// Every launch must find the variable as it is written here.
__device__ int launches = 0;
__global__ void first_launch(int* out) {
  if (threadIdx.x == 0 && launches++ > 0) __trap();
  out[threadIdx.x] = 1;
}

// More parameters than fit into registers, of every kind.
__global__ void many(int* out, char a, float b, short c, double d, long e, unsigned f, float g, int h, int i, float j, float k,
                     float l, float m, float n, float o, double p, bool q, int* null) {
  const bool is_right = out[0] == 7 && a == 1 && b == 2 && c == 3 && d == 4 && e == -5 && f == 6 && g == 7 && h == 8 && i == 9 &&
                        j == 10 && k == 11 && l == 12 && m == 13 && n == 14 && o == 15 && p == 16 && q && null == nullptr;
  if (!is_right) __trap();
}

// Reads the second of two words, of which only the first one has been written.
__global__ void unwritten(int* out) {
  if (threadIdx.x == 0) out[0] = out[1];
}

__global__ void trapped(int* out) {
  out[0] = 1;
  __builtin_trap();
}

__global__ void hang(int* out) {
  for (volatile int i = 0; i >= 0; i = i & 1) out[0] = 1;
}

// 32 lanes, two in each bank: 2 wavefronts for a store, 1 for a load.
__global__ void two_ways(int* out) {
  __shared__ int tile[64];
  tile[2 * threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x & 30];
}
