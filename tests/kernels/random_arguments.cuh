#include <cuda_fp16.h>
typedef unsigned long long Bits;
__device__ Bits mixed(Bits x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}
template <class T> __device__ T from_bits(Bits bits) {
  T value;
  for (int i = 0; i < (int)sizeof(T); ++i) ((unsigned char*)&value)[i] = (unsigned char)(bits >> 8 * i);
  return value;
}
template <class T> __device__ Bits to_bits(T value) {
  Bits bits = 0;
  for (int i = 0; i < (int)sizeof(T); ++i) bits |= (Bits)((unsigned char*)&value)[i] << 8 * i;
  return bits;
}
// Gives every NaN the same bits.
__device__ Bits result_bits(float x) { return x != x ? 0x7fffffffull : to_bits(x); }
__device__ Bits result_bits(double x) { return x != x ? 0x7fffffffffffffffull : to_bits(x); }
__device__ Bits half_bits(Bits x) { return (x & 0x7fff) > 0x7c00 ? 0x7fff : x; }
__device__ Bits result_bits(__half x) { return half_bits(to_bits(x)); }
__device__ Bits result_bits(__half2 x) { return half_bits(to_bits(x) & 0xffff) | half_bits(to_bits(x) >> 16) << 16; }
__device__ Bits result_bits(float2 x) { return result_bits(x.x) | result_bits(x.y) << 32; }
template <class T> __device__ Bits result_bits(T x) { return to_bits(x); }

// Arguments: edge cases, and random ones.
__device__ const Bits integers[16] = {0, 1, 2, 31, 32, 33, 127, 255, 0x7fff, 0xffff, 0x7fffffff, 0x80000000,
  0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff};
__device__ const float floats[16] = {0.0f, 0.5f, 1.0f, 1.5f, 2.5f, 3.0f, 255.5f, 65504.0f, 65520.0f, 2147483648.0f,
  4294967296.0f, 9223372036854775808.0f, 18446744073709551616.0f, 3.4028235e38f, 1.17549435e-38f, 1.4e-45f};
__device__ const unsigned short halves[16] = {0, 1, 0x3ff, 0x400, 0x3800, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4100,
  0x7bff, 0x7c00, 0x7e00, 0x5bff, 0x6800, 0x1400};
template <class T> struct Argument {
  static __device__ T at(Bits random) {
    if (random & 1) return from_bits<T>(integers[random >> 1 & 15]);
    return from_bits<T>(random >> 8 >> (random >> 1 & 63) % (8 * sizeof(T)));
  }
};
template <> struct Argument<float> {
  static __device__ float at(Bits random) {
    const float sign = random & 8 ? -1.0f : 1.0f;
    if ((random & 6) == 0) return sign * floats[random >> 4 & 15];
    if ((random & 6) == 2) return sign * (float)(random >> 40) / 4096;
    if ((random & 0xff0) == 0) return sign * __int_as_float(0x7f800000);
    if ((random & 0xff0) == 16) return __int_as_float(0x7fffffff);
    return from_bits<float>(random >> 16);
  }
};
template <> struct Argument<double> {
  static __device__ double at(Bits random) {
    if (random & 1) return Argument<float>::at(random >> 1);
    if (random & 2) return (double)(long long)random / 1099511627776.0;
    return from_bits<double>(random);
  }
};
template <> struct Argument<__half> {
  static __device__ __half at(Bits random) {
    const Bits bits = random & 1 ? halves[random >> 2 & 15] | (random & 2) << 14 : random >> 16;
    return from_bits<__half>(bits & 0xffff);
  }
};
template <> struct Argument<__half2> {
  static __device__ __half2 at(Bits random) {
    return from_bits<__half2>(to_bits(Argument<__half>::at(random)) | to_bits(Argument<__half>::at(mixed(random))) << 16);
  }
};
