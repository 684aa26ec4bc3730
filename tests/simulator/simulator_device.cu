__constant__ int weights[4] = {1, 10, 100, 1000};

__global__ void who_am_i(int* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int* const row = out + 6 * (block * blockDim.x * blockDim.y * blockDim.z + thread);
  row[0] = blockIdx.x, row[1] = blockIdx.y, row[2] = blockIdx.z;
  row[3] = threadIdx.x, row[4] = threadIdx.y, row[5] = threadIdx.z;
}

__global__ void weigh(const int* in, int* out) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += weights[i] * in[i];
  out[0] = sum;
}

__global__ void vectors(const float* in, float* out) {
  const float4 a = reinterpret_cast<const float4*>(in)[0];
  const float2 b = make_float2(a.x, a.w);
  const int3 c = make_int3(a.x, a.y, a.z);
  const dim3 d(2, 3);
  reinterpret_cast<float4*>(out)[0] = make_float4(a.w, a.z, a.y, a.x);
  out[4] = b.x + b.y + c.x + c.y + c.z;
  out[5] = sizeof(float3) * 10000 + sizeof(float4) * 100 + alignof(float4);
  out[6] = sizeof(double2) * 10000 + alignof(uchar4) * 100 + alignof(int2);
  out[7] = d.x * 100 + d.y * 10 + d.z;
}

__global__ void copy_in_steps(const int* in, int* out) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 1000; i += stride) __stcs(&out[i], __ldg(&in[i]));
}

__global__ void tell(const int* in, int* out) {
  const long long before = clock64();
  const int arguments = printf("thread %d of %s has %.1f\n", threadIdx.x, "tell", in[0] * 0.5);
  out[0] = clock64() >= before ? arguments : -1;
}

__global__ void wait_a_little(int* out) {
  if (out[threadIdx.x] > 100) return;
  out[threadIdx.x] += warpSize;
}
