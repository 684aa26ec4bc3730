// For: __popc* __clz* __ffs* __brev* *mulhi __mul* __umul* __byte_perm __funnelshift_* *hadd __*sad __fns
// Integer intrinsics.
GPULAB_INTRINSIC int __popc(unsigned x) { return __builtin_popcount(x); }
GPULAB_INTRINSIC int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GPULAB_INTRINSIC int __clz(int x) { return x ? __builtin_clz(x) : 32; }
GPULAB_INTRINSIC int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
GPULAB_INTRINSIC int __ffs(int x) { return __builtin_ffs(x); }
GPULAB_INTRINSIC int __ffsll(long long x) { return __builtin_ffsll(x); }
GPULAB_INTRINSIC unsigned long long __brevll(unsigned long long x) {
  x = __builtin_bswap64(x);
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
  x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
  return (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
}
GPULAB_INTRINSIC unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }
GPULAB_INTRINSIC int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
GPULAB_INTRINSIC unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
GPULAB_INTRINSIC int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
GPULAB_INTRINSIC unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
GPULAB_INTRINSIC unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= unsigned(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
}
GPULAB_INTRINSIC unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
GPULAB_INTRINSIC unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}
GPULAB_INTRINSIC unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32 ? __funnelshift_l(low, high, shift) : low;
}
GPULAB_INTRINSIC unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32 ? __funnelshift_r(low, high, shift) : high;
}
GPULAB_INTRINSIC long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
GPULAB_INTRINSIC unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
GPULAB_INTRINSIC int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
GPULAB_INTRINSIC int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
GPULAB_INTRINSIC unsigned __uhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b) >> 1); }
GPULAB_INTRINSIC unsigned __urhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b + 1) >> 1); }
GPULAB_INTRINSIC unsigned __sad(int a, int b, unsigned c) {
  return c + (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b));
}
GPULAB_INTRINSIC unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
// Returns the position of the n-th set bit, from `base` upwards or, with a negative n, downwards.
GPULAB_INTRINSIC unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
  if (n == -2147483647 - 1) return 0;  // as on an H200
  const int step = n > 0 ? 1 : -1;
  int remaining = n * step;  // set bits to go
  for (int bit = int(base); bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --remaining == 0) return unsigned(bit);
  return 0xffffffffu;
}
