// expect: atomicAdd(&s[h].count, 1)
// never: no defect found
struct Slot {
  unsigned key, count;
};
struct Table {
  Slot* s;
  unsigned capacity;
  // The atomic claims a slot, before the count: it tells nobody of it.
  __device__ bool add(unsigned key) {
    unsigned h = (key * 2654435761u) & (capacity - 1);
    for (unsigned probe = 0; probe < capacity; ++probe, h = (h + 1) & (capacity - 1)) {
      __threadfence();
      unsigned old = atomicCAS(&s[h].key, ~0u, key);
      if (old == ~0u || old == key) {
        s[h].count++;
        return true;
      }
    }
    return false;
  }
};
__global__ void clear(Slot* s, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[i] = {~0u, 0};
}
__global__ void insert(int n, Table t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t.add(i % 70);
}
int main() {
  Table t{nullptr, 128};
  cudaMalloc(&t.s, t.capacity * sizeof(Slot));
  clear<<<1, 128>>>(t.s, t.capacity);
  insert<<<16, 64>>>(1024, t);
  static Slot slots[128];
  cudaMemcpy(slots, t.s, sizeof slots, cudaMemcpyDeviceToHost);
  cudaFree(t.s);
}
