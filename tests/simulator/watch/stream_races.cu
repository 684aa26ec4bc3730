__global__ void store(int* out) {
  out[threadIdx.x] = 7;  // stores
}

__global__ void load(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // loads
}

__global__ void add(int* out) {
  atomicAdd(out, 1);  // adds
}

__global__ void add_for_all(int* out) {
  atomicAdd_system(out, 1);
}

__global__ void add_for_block(int* out) {
  atomicAdd_block(out, 1);
}

__global__ void store_byte(unsigned char* out, int place) {
  out[place] = 1;
}

__device__ int total;
__global__ void set_total(int* out) {
  total = *out;  // total
}

__global__ void many(int* out) {
  if (blockIdx.x == 700 && threadIdx.x == 3) out[1] = 5;  // one of many
}
