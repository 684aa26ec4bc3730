// For: __float* __double* __int* __uint_as* __longlong* __hiloint2double INFINITY NAN quiet_NaN CUDART_* HUGE_*
// For: include_* std rcbrt* rhypot* norm* rnorm* sinpi* cospi* sincos* __sincosf erfinv* erfcinv* erfcx* normcdf*
// For: cyl_bessel_* j0* j1* jn* y0* y1* yn* fdivide* nan nanf ldexp* frexp* modf* scalb* ilogb* lrint* llrint*
// For: lround* llround* remquo*
// Reinterprets the bits as another type.
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
GPULAB_INTRINSIC int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
GPULAB_INTRINSIC int __double2loint(double x) { return int(__double_as_longlong(x)); }
GPULAB_INTRINSIC double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
// Converts floating-point numbers to integers. Too large values saturate, and NaN becomes what the PTX manual says
// for cvt. Numbers in [from_min, from_end) fit into the type `to`. Both limits are 0 or powers of two, so that
// float and double can represent them.
#define GPULAB_TO_INTEGER(to, from, name, round, from_min, from_end, to_min, to_max, of_nan)  \
  GPULAB_INTRINSIC to name(from x) {                                                      \
    const from rounded = round(x);                                                        \
    if (rounded != rounded) return of_nan;                                                \
    if (rounded >= from(from_end)) return to_max;                                             \
    if (rounded < from(from_min)) return to_min;                                              \
    return (to)rounded;                                                                   \
  }
#define GPULAB_TO_INTEGERS(to, from, name, suffix, from_min, from_end, to_min, to_max, of_nan)                         \
  GPULAB_TO_INTEGER(to, from, name##_rn, __builtin_rint##suffix, from_min, from_end, to_min, to_max, of_nan)           \
  GPULAB_TO_INTEGER(to, from, name##_rz, __builtin_trunc##suffix, from_min, from_end, to_min, to_max, of_nan)          \
  GPULAB_TO_INTEGER(to, from, name##_ru, __builtin_ceil##suffix, from_min, from_end, to_min, to_max, of_nan)           \
  GPULAB_TO_INTEGER(to, from, name##_rd, __builtin_floor##suffix, from_min, from_end, to_min, to_max, of_nan)
#define GPULAB_ALL_INTEGERS(from, name, suffix, nan)                                                                  \
  GPULAB_TO_INTEGERS(int, from, __##name##2int, suffix, -2147483648.0, 2147483648.0, -2147483647 - 1, 2147483647,     \
                     int(nan))                                                                                        \
  GPULAB_TO_INTEGERS(unsigned, from, __##name##2uint, suffix, 0, 4294967296.0, 0, 4294967295u, unsigned(nan))         \
  GPULAB_TO_INTEGERS(long long, from, __##name##2ll, suffix, -9223372036854775808.0, 9223372036854775808.0,           \
                     -9223372036854775807ll - 1, 9223372036854775807ll, -9223372036854775807ll - 1)                   \
  GPULAB_TO_INTEGERS(unsigned long long, from, __##name##2ull, suffix, 0, 18446744073709551616.0, 0,                  \
                     18446744073709551615ull, 9223372036854775808ull)
GPULAB_ALL_INTEGERS(float, float, f, 0)
GPULAB_ALL_INTEGERS(double, double, , 0x80000000u)
#undef GPULAB_ALL_INTEGERS
#undef GPULAB_TO_INTEGERS
#undef GPULAB_TO_INTEGER
