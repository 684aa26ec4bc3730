template <class T>
struct Trial {
  T* cell;
  const T* in;
  T* out;
  template <class Operation>
  __device__ void operator()(Operation operation) {
    *cell = in[0];
    *out++ = operation();
    *out++ = *cell;
  }
};

template <class T>
__device__ void try_integers(Trial<T>& attempt) {
  T* const cell = attempt.cell;
  const T a = attempt.in[0], b = attempt.in[1];
  attempt([=] { return atomicAdd(cell, b); });
  attempt([=] { return atomicSub(cell, b); });
  attempt([=] { return atomicExch(cell, b); });
  attempt([=] { return atomicMin(cell, b); });
  attempt([=] { return atomicMax(cell, b); });
  attempt([=] { return atomicAnd(cell, b); });
  attempt([=] { return atomicOr(cell, b); });
  attempt([=] { return atomicXor(cell, b); });
  attempt([=] { return atomicCAS(cell, a, b); });
  attempt([=] { return atomicCAS(cell, b, a + b); });
}

__global__ void on_int(const int* in, int* out) {
  __shared__ int tile[1];
  Trial<int> in_shared{tile, in, out}, in_global{out + 20, in, out + 21};
  try_integers(in_shared);
  try_integers(in_global);
}

__global__ void on_unsigned(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[1];
  Trial<unsigned> in_shared{tile, in, out}, in_global{out + 20, in, out + 21};
  try_integers(in_shared);
  try_integers(in_global);
}

__global__ void wrapping(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[1];
  for (int place = 0; place < 2; ++place) {
    unsigned* const cell = place ? out + 16 : tile;
    for (int i = 0; i < 4; ++i) {
      const unsigned start = in[2 * i], most = in[2 * i + 1];
      *cell = start;
      out[place * 8 + i] = atomicInc(cell, most) == start ? *cell : 999;
      *cell = start;
      out[place * 8 + 4 + i] = atomicDec(cell, most) == start ? *cell : 999;
    }
  }
}

__global__ void on_float(const float* in, float* out) {
  __shared__ float tile[1];
  Trial<float> attempts[] = {{tile, in, out}, {out + 8, in, out + 4}};
  for (Trial<float>& attempt : attempts) {
    float* const cell = attempt.cell;
    attempt([=] { return atomicAdd(cell, in[1]); });
    attempt([=] { return atomicExch(cell, in[1]); });
  }
}

__global__ void on_double(const double* in, double* out) {
  __shared__ double tile[1];
  Trial<double> in_shared{tile, in, out}, in_global{out + 4, in, out + 2};
  in_shared([=] { return atomicAdd(tile, in[1]); });
  in_global([=] { return atomicAdd(out + 4, in[1]); });
}

__global__ void on_64_bits(const double* in, double* out) {
  __shared__ unsigned long long tile[1];
  unsigned long long* const cells[] = {tile, (unsigned long long*)(out + 10)};
  const unsigned long long a = in[0], b = in[1];
  for (unsigned long long* cell : cells) {
    *cell = a;
    *out++ = atomicAdd(cell, b);
    *out++ = atomicMin(cell, b);
    *out++ = atomicMax(cell, 2 * b);
    *out++ = atomicCAS(cell, 2 * b, a);
    *out++ = atomicExch(cell, 0ull);
  }
}

__global__ void count_threads(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, in[0]);
  atomicAdd(&out[0], in[0]);
  atomicAdd((float*)&out[1], 1.0f);
  atomicMax(&out[2], int(blockIdx.x * blockDim.x + threadIdx.x));
  int seen, now = out[3];  // an addition made of compare-and-swap
  do {
    seen = now;
    now = atomicCAS(&out[3], seen, seen + 1);
  } while (now != seen);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[4], count);
}
