// The same bits as another type.
#define GPULAB_BITS(to, name, from)                                       \
  GPULAB_INTRINSIC to name(from value) {                                  \
    to result;                                                            \
    __builtin_memcpy(&result, &value, sizeof(to));                        \
    return result;                                                        \
  }
GPULAB_BITS(int, __float_as_int, float)
GPULAB_BITS(unsigned, __float_as_uint, float)
GPULAB_BITS(float, __int_as_float, int)
GPULAB_BITS(float, __uint_as_float, unsigned)
GPULAB_BITS(long long, __double_as_longlong, double)
GPULAB_BITS(double, __longlong_as_double, long long)
#undef GPULAB_BITS
GPULAB_INTRINSIC int __float2int_rn(float x) { return int(__builtin_rintf(x)); }
GPULAB_INTRINSIC int __float2int_rz(float x) { return int(x); }
GPULAB_INTRINSIC int __float2int_rd(float x) { return int(__builtin_floorf(x)); }
GPULAB_INTRINSIC int __float2int_ru(float x) { return int(__builtin_ceilf(x)); }
GPULAB_INTRINSIC float __int2float_rn(int x) { return float(x); }
