__global__ void count_bits(const int* in, int* out) {
  const int x = in[threadIdx.x];
  const long long wide = (long long)x << 20;
  int* const row = out + threadIdx.x * 8;
  row[0] = __popc(x);
  row[1] = __clz(x);
  row[2] = __ffs(x);
  row[3] = __brev(x);
  row[4] = __popcll(wide);
  row[5] = __clzll(wide);
  row[6] = __ffsll(wide);
  row[7] = __brevll(wide) >> 32;
}

__global__ void arithmetic(const int* in, int* out) {
  const int a = in[0], b = in[1];
  out[0] = __mulhi(a, b);
  out[1] = __umulhi(a, b);
  out[2] = __mul24(a, b);
  out[3] = __umul24(a, b);
  out[4] = __byte_perm(a, b, 0x5140);
  out[5] = __funnelshift_l(a, b, 8);
  out[6] = __funnelshift_r(a, b, 8);
  out[7] = __float_as_int(__int_as_float(a));
  out[8] = __float2int_rn(2.5f) * 1000 + __float2int_rz(-2.5f) * 100 + __float2int_rd(-2.5f) * 10 +
           __float2int_ru(-2.5f);
}

__global__ void least_and_most(const double* in, double* out) {
  const int i = in[0], j = in[1];
  const unsigned u = in[1];
  const long l = in[0];
  const unsigned long ul = in[1];
  const long long ll = in[0] * 1e12;
  const unsigned long long ull = in[1] * 1e12;
  const float f = in[0];
  out[0] = min(i, j), out[1] = max(i, j);
  out[2] = min(i, u), out[3] = max(u, i);
  out[4] = min(ll, 2 * ll), out[5] = max(ull, 2 * ull);
  out[6] = min(f, 2.5f), out[7] = max(f, -0.5f);
  out[8] = min(in[0], 2.5), out[9] = max(f, 1e-50);
  out[10] = min(l, 2 * l), out[11] = max(ul, 2 * ul);
  out[12] = abs(i), out[13] = abs(ll), out[14] = abs(f), out[15] = abs(in[0]);
  out[16] = fabsf(f), out[17] = fminf(f, 1.0f), out[18] = fmax(in[0], 1.0);
}

__global__ void mixed_signs(const double* in, double* out) {
  const long l = in[0];
  const unsigned long ul = in[1];
  const long long ll = in[0];
  const unsigned long long ull = in[1];
  out[0] = min(l, ul), out[1] = max(ul, l), out[2] = min(ull, ll), out[3] = max(ll, ull);
}

__global__ void functions(const float* in, float* out) {
  const float x = in[0];
  out[0] = rsqrtf(x), out[1] = __expf(x), out[2] = __logf(x), out[3] = __sinf(x), out[4] = __cosf(x);
  out[5] = __powf(x, 1.5f), out[6] = sqrtf(x), out[7] = expf(x), out[8] = pow(x, 2.0f), out[9] = exp(x);
  out[10] = __fdividef(1.0f, x), out[11] = __saturatef(x), out[12] = fmaf(x, x, 1.0f), out[13] = floorf(x);
  out[14] = tanhf(x), out[15] = __frcp_rn(x), out[16] = rsqrt(double(x)), out[17] = __exp10f(x);
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  out[18] = sine, out[19] = cosine;
  out[20] = isnan(in[1]), out[21] = isnan(x), out[22] = isinf(in[2]), out[23] = isfinite(x);
}
