// For: include_cuda_bf16_h include_mma_h
// cuda_bf16.h: a bfloat16 is the upper half of a float. Arithmetic is done in double and rounded once more, which for
// 8 significant bits is the same as rounding once; where it would not be, the double is rounded to odd.
GPULAB_INTRINSIC float gpulab_bfloat_value(unsigned bits) {
  const unsigned word = bits << 16;
  float value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
GPULAB_INTRINSIC unsigned short gpulab_bfloat_bits(double x, gpulab_half_rounding rounding = gpulab_to_nearest) {
  if (x != x) return 0x7fff;
  const bool negative = __builtin_signbit(x);
  const double size = __builtin_fabs(x);
  const bool rounds_away = rounding == (negative ? gpulab_downwards : gpulab_upwards);
  const unsigned sign = negative ? 0x8000 : 0;
  if (size >= 0x1p128) {
    const bool stays_finite = !(size > 1.7976931348623157e308) && rounding != gpulab_to_nearest && !rounds_away;
    return (unsigned short)(sign | (stays_finite ? 0x7f7f : 0x7f80));
  }
  // Counts units in the last place: 2^-133 for small numbers, else 7 bits below the first.
  unsigned long long word;
  __builtin_memcpy(&word, &size, sizeof word);
  const int exponent = int(word >> 52) - 1023;
  const int power = exponent < -126 ? -133 : exponent - 7;
  const unsigned long long scale_bits = (unsigned long long)(1023 - power) << 52;
  double scale;
  __builtin_memcpy(&scale, &scale_bits, sizeof scale);
  const double units = size * scale;
  unsigned whole = unsigned(units);
  const double rest = units - whole;
  const bool is_over_half = rest > 0.5 || (rest == 0.5 && (whole & 1));  // ties to even
  if (rounding == gpulab_to_nearest ? is_over_half : rounds_away && rest > 0) ++whole;
  // A carry runs into the exponent, as it should.
  return (unsigned short)(sign | (exponent < -126 ? whole : (unsigned)(exponent + 126) * 128 + whole));
}
// Returns a * b + c. The product is exact; an inexact sum is rounded to odd.
GPULAB_INTRINSIC double gpulab_odd_fma(double a, double b, double c) {
  const double product = a * b, sum = product + c, other = sum - product;
  const double error = (product - (sum - other)) + (c - other);
  unsigned long long word;
  __builtin_memcpy(&word, &sum, sizeof word);
  if (error != 0 && error == error && !(word & 1)) word += (error > 0) == (sum > 0) ? 1 : -1;
  double odd;
  __builtin_memcpy(&odd, &word, sizeof odd);
  return odd;
}
// Converts an integer to a double that rounds to the same bfloat16 as the integer.
GPULAB_INTRINSIC double gpulab_sticky(unsigned long long x) {
  return double(x >> 53 ? (x & ~0xfffull) | (x & 0xfff ? 0x1000 : 0) : x);
}
GPULAB_INTRINSIC double gpulab_sticky(long long x) {
  return x < 0 ? -gpulab_sticky(0 - (unsigned long long)x) : gpulab_sticky((unsigned long long)x);
}
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };
struct __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __nv_bfloat16(float x) : __x(gpulab_bfloat_bits(x)) {}
  __nv_bfloat16(double x) : __x(gpulab_bfloat_bits(x)) {}
  explicit __nv_bfloat16(const __half& x) : __x(gpulab_bfloat_bits(gpulab_float(x))) {}
#define GPULAB_FROM(type, wide) __nv_bfloat16(type x) : __x(gpulab_bfloat_bits(gpulab_sticky((wide)x))) {}
  GPULAB_FROM(short, long long) GPULAB_FROM(int, long long) GPULAB_FROM(long, long long) GPULAB_FROM(long long, long long)
  GPULAB_FROM(unsigned short, unsigned long long) GPULAB_FROM(unsigned, unsigned long long)
  GPULAB_FROM(unsigned long, unsigned long long) GPULAB_FROM(unsigned long long, unsigned long long)
#undef GPULAB_FROM
  operator float() const { return gpulab_bfloat_value(__x); }
  operator __nv_bfloat16_raw() const { return {__x}; }
#define GPULAB_TO(type) explicit operator type() const { return (type)gpulab_bfloat_value(__x); }
  GPULAB_TO(short) GPULAB_TO(unsigned short) GPULAB_TO(int) GPULAB_TO(unsigned) GPULAB_TO(long) GPULAB_TO(long long)
  GPULAB_TO(unsigned long) GPULAB_TO(unsigned long long) GPULAB_TO(char) GPULAB_TO(signed char) GPULAB_TO(unsigned char)
#undef GPULAB_TO
  operator bool() const { return (__x & 0x7fff) != 0; }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
GPULAB_INTRINSIC __nv_bfloat16 gpulab_bfloat(double x, gpulab_half_rounding rounding = gpulab_to_nearest) {
  return __nv_bfloat16(__nv_bfloat16_raw{gpulab_bfloat_bits(x, rounding)});
}
GPULAB_INTRINSIC __nv_bfloat16 gpulab_bfloat_of_bits(unsigned bits) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)bits});
}
GPULAB_INTRINSIC float gpulab_float(__nv_bfloat16 x) { return gpulab_bfloat_value(x.__x); }
// Conversions.
inline __half::__half(const __nv_bfloat16& x) : __x(gpulab_half_bits(gpulab_float(x))) {}
GPULAB_INTRINSIC float __bfloat162float(__nv_bfloat16 x) { return gpulab_float(x); }
GPULAB_INTRINSIC __nv_bfloat16 __float2bfloat16(float x) { return gpulab_bfloat(x); }
GPULAB_INTRINSIC __nv_bfloat16 __double2bfloat16(double x) { return gpulab_bfloat(x); }
#define GPULAB_BFLOAT_MODE(mode, rounding)                                                                \
  GPULAB_INTRINSIC __nv_bfloat16 __float2bfloat16_##mode(float x) { return gpulab_bfloat(x, rounding); } \
  GPULAB_BFLOAT_INTEGER(int, int, long long, mode, rounding)                                              \
  GPULAB_BFLOAT_INTEGER(unsigned, uint, unsigned long long, mode, rounding)                               \
  GPULAB_BFLOAT_INTEGER(long long, ll, long long, mode, rounding)                                         \
  GPULAB_BFLOAT_INTEGER(unsigned long long, ull, unsigned long long, mode, rounding)
#define GPULAB_BFLOAT_INTEGER(type, name, wide, mode, rounding)                                           \
  GPULAB_INTRINSIC __nv_bfloat16 __##name##2bfloat16_##mode(type x) {                                     \
    return gpulab_bfloat(gpulab_sticky((wide)x), rounding);                                               \
  }                                                                                                       \
  GPULAB_INTRINSIC type __bfloat162##name##_##mode(__nv_bfloat16 x) { return __float2##name##_##mode(gpulab_float(x)); }
GPULAB_BFLOAT_MODE(rn, gpulab_to_nearest) GPULAB_BFLOAT_MODE(rz, gpulab_to_zero)
GPULAB_BFLOAT_MODE(ru, gpulab_upwards) GPULAB_BFLOAT_MODE(rd, gpulab_downwards)
#undef GPULAB_BFLOAT_MODE
#undef GPULAB_BFLOAT_INTEGER
GPULAB_INTRINSIC unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
GPULAB_INTRINSIC short __bfloat16_as_short(__nv_bfloat16 x) { return short(x.__x); }
GPULAB_INTRINSIC __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return gpulab_bfloat_of_bits(x); }
GPULAB_INTRINSIC __nv_bfloat16 __short_as_bfloat16(short x) { return gpulab_bfloat_of_bits((unsigned short)x); }
GPULAB_INTRINSIC __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
GPULAB_INTRINSIC __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
GPULAB_INTRINSIC __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
GPULAB_INTRINSIC __nv_bfloat162 __float2bfloat162_rn(float x) { return {gpulab_bfloat(x), gpulab_bfloat(x)}; }
GPULAB_INTRINSIC __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {gpulab_bfloat(x), gpulab_bfloat(y)}; }
GPULAB_INTRINSIC __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {gpulab_bfloat(v.x), gpulab_bfloat(v.y)}; }
GPULAB_INTRINSIC float2 __bfloat1622float2(__nv_bfloat162 v) { return {gpulab_float(v.x), gpulab_float(v.y)}; }
GPULAB_INTRINSIC float __low2float(__nv_bfloat162 v) { return gpulab_float(v.x); }
GPULAB_INTRINSIC float __high2float(__nv_bfloat162 v) { return gpulab_float(v.y); }
GPULAB_INTRINSIC __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
GPULAB_INTRINSIC __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
GPULAB_INTRINSIC __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
GPULAB_INTRINSIC __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
GPULAB_INTRINSIC __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w) { return {v.x, w.x}; }
GPULAB_INTRINSIC __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w) { return {v.y, w.y}; }
GPULAB_INTRINSIC __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return {v.y, v.x}; }
// Arithmetic, of bfloat16s and of pairs.
GPULAB_INTRINSIC __nv_bfloat16 gpulab_within_0_and_1(__nv_bfloat16 x) {
  const float value = gpulab_float(x);
  return gpulab_bfloat(value > 0 ? (value < 1 ? value : 1) : 0);
}
#define GPULAB_BFLOAT_2(name, expression)                                                                 \
  GPULAB_INTRINSIC __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                 \
    const double x = gpulab_float(a), y = gpulab_float(b);                                                \
    return gpulab_bfloat(expression);                                                                     \
  }                                                                                                       \
  GPULAB_INTRINSIC __nv_bfloat16 name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); }       \
  GPULAB_INTRINSIC __nv_bfloat16 name##_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return gpulab_within_0_and_1(name(a, b)); } \
  GPULAB_INTRINSIC __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return {name(a.x, b.x), name(a.y, b.y)}; } \
  GPULAB_INTRINSIC __nv_bfloat162 name##2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return name##2(a, b); } \
  GPULAB_INTRINSIC __nv_bfloat162 name##2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {                       \
    return {name##_sat(a.x, b.x), name##_sat(a.y, b.y)};                                                  \
  }
GPULAB_BFLOAT_2(__hadd, x + y) GPULAB_BFLOAT_2(__hsub, x - y) GPULAB_BFLOAT_2(__hmul, x * y)
#undef GPULAB_BFLOAT_2
GPULAB_INTRINSIC __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) {
  return gpulab_bfloat(double(gpulab_float(a)) / gpulab_float(b));
}
GPULAB_INTRINSIC __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
GPULAB_INTRINSIC __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return gpulab_bfloat(gpulab_odd_fma(gpulab_float(a), gpulab_float(b), gpulab_float(c)));
}
GPULAB_INTRINSIC __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return gpulab_within_0_and_1(__hfma(a, b, c));
}
GPULAB_INTRINSIC __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  const __nv_bfloat16 value = __hfma(a, b, c);
  return gpulab_float(value) <= 0 ? gpulab_bfloat_of_bits(0) : value;  // also -0
}
#define GPULAB_BFLOAT_FMA(name, of_one)                                                                   \
  GPULAB_INTRINSIC __nv_bfloat162 name(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {            \
    return {of_one(a.x, b.x, c.x), of_one(a.y, b.y, c.y)};                                                \
  }
GPULAB_BFLOAT_FMA(__hfma2, __hfma) GPULAB_BFLOAT_FMA(__hfma2_sat, __hfma_sat) GPULAB_BFLOAT_FMA(__hfma2_relu, __hfma_relu)
#undef GPULAB_BFLOAT_FMA
GPULAB_INTRINSIC __nv_bfloat16 __hneg(__nv_bfloat16 x) { return gpulab_bfloat_of_bits(x.__x ^ 0x8000); }
GPULAB_INTRINSIC __nv_bfloat16 __habs(__nv_bfloat16 x) { return gpulab_bfloat_of_bits(x.__x & 0x7fff); }
GPULAB_INTRINSIC __nv_bfloat162 __hneg2(__nv_bfloat162 v) { return {__hneg(v.x), __hneg(v.y)}; }
GPULAB_INTRINSIC __nv_bfloat162 __habs2(__nv_bfloat162 v) { return {__habs(v.x), __habs(v.y)}; }
// Comparisons; those that end in u are true of NaN.
GPULAB_INTRINSIC bool __hisnan(__nv_bfloat16 x) { return (x.__x & 0x7fff) > 0x7f80; }
GPULAB_INTRINSIC int __hisinf(__nv_bfloat16 x) { return x.__x == 0x7f80 ? 1 : x.__x == 0xff80 ? -1 : 0; }
#define GPULAB_BFLOAT_COMPARE_(name, suffix, expression)                                                  \
  GPULAB_INTRINSIC bool __h##name##suffix(__nv_bfloat16 a, __nv_bfloat16 b) {                             \
    const float x = gpulab_float(a), y = gpulab_float(b);                                                 \
    return expression;                                                                                    \
  }                                                                                                       \
  GPULAB_INTRINSIC __nv_bfloat162 __h##name##suffix##2(__nv_bfloat162 a, __nv_bfloat162 b) {              \
    return {gpulab_bfloat(__h##name##suffix(a.x, b.x)), gpulab_bfloat(__h##name##suffix(a.y, b.y))};      \
  }                                                                                                       \
  GPULAB_INTRINSIC bool __hb##name##suffix##2(__nv_bfloat162 a, __nv_bfloat162 b) {                       \
    return __h##name##suffix(a.x, b.x) && __h##name##suffix(a.y, b.y);                                    \
  }
#define GPULAB_BFLOAT_COMPARE(name, operation)                                                            \
  GPULAB_BFLOAT_COMPARE_(name, , x operation y) GPULAB_BFLOAT_COMPARE_(name, u, x != x || y != y || x operation y)
GPULAB_BFLOAT_COMPARE(eq, ==) GPULAB_BFLOAT_COMPARE(lt, <) GPULAB_BFLOAT_COMPARE(le, <=)
GPULAB_BFLOAT_COMPARE(gt, >) GPULAB_BFLOAT_COMPARE(ge, >=)
GPULAB_BFLOAT_COMPARE_(ne, , x == x && y == y && x != y) GPULAB_BFLOAT_COMPARE_(ne, u, x != y)
#undef GPULAB_BFLOAT_COMPARE
#undef GPULAB_BFLOAT_COMPARE_
#define GPULAB_BFLOAT_MIN_OR_MAX(name, pair, expression, of_nan)                                                \
  GPULAB_INTRINSIC __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                 \
    if (__hisnan(a) || __hisnan(b)) return of_nan;                                                        \
    const float x = gpulab_float(a), y = gpulab_float(b);                                                 \
    return (expression) ? a : b;                                                                          \
  }                                                                                                       \
  GPULAB_INTRINSIC __nv_bfloat162 pair(__nv_bfloat162 a, __nv_bfloat162 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define GPULAB_LESS (x < y || (x == y && (a.__x & 0x8000)))
#define GPULAB_MORE (x > y || (x == y && !(a.__x & 0x8000)))
#define GPULAB_NUMBER (__hisnan(a) ? (__hisnan(b) ? gpulab_bfloat_of_bits(0x7fff) : b) : a)
GPULAB_BFLOAT_MIN_OR_MAX(__hmin, __hmin2, GPULAB_LESS, GPULAB_NUMBER) GPULAB_BFLOAT_MIN_OR_MAX(__hmax, __hmax2, GPULAB_MORE, GPULAB_NUMBER)
GPULAB_BFLOAT_MIN_OR_MAX(__hmin_nan, __hmin2_nan, GPULAB_LESS, gpulab_bfloat_of_bits(0x7fff))
GPULAB_BFLOAT_MIN_OR_MAX(__hmax_nan, __hmax2_nan, GPULAB_MORE, gpulab_bfloat_of_bits(0x7fff))
#undef GPULAB_NUMBER
#undef GPULAB_LESS
#undef GPULAB_MORE
#undef GPULAB_BFLOAT_MIN_OR_MAX
// Mathematics.
#define GPULAB_BFLOAT_1(name, expression)                                                                 \
  GPULAB_INTRINSIC __nv_bfloat16 h##name(__nv_bfloat16 a) {                                               \
    const double x = gpulab_float(a);                                                                     \
    return gpulab_bfloat(expression);                                                                     \
  }                                                                                                       \
  GPULAB_INTRINSIC __nv_bfloat162 h2##name(__nv_bfloat162 a) { return {h##name(a.x), h##name(a.y)}; }
GPULAB_BFLOAT_1(sqrt, __builtin_sqrt(x)) GPULAB_BFLOAT_1(rsqrt, 1 / __builtin_sqrt(x)) GPULAB_BFLOAT_1(rcp, 1 / x)
GPULAB_BFLOAT_1(exp, __builtin_exp(x)) GPULAB_BFLOAT_1(exp2, __builtin_exp2(x)) GPULAB_BFLOAT_1(exp10, __builtin_pow(10, x))
GPULAB_BFLOAT_1(log, __builtin_log(x)) GPULAB_BFLOAT_1(log2, __builtin_log2(x)) GPULAB_BFLOAT_1(log10, __builtin_log10(x))
GPULAB_BFLOAT_1(sin, __builtin_sin(x)) GPULAB_BFLOAT_1(cos, __builtin_cos(x)) GPULAB_BFLOAT_1(tanh, __builtin_tanh(x))
GPULAB_BFLOAT_1(floor, __builtin_floor(x)) GPULAB_BFLOAT_1(ceil, __builtin_ceil(x))
GPULAB_BFLOAT_1(trunc, __builtin_trunc(x)) GPULAB_BFLOAT_1(rint, __builtin_rint(x))
#undef GPULAB_BFLOAT_1
#define GPULAB_BFLOAT_OPERATOR(operation, name, name2)                                                    \
  GPULAB_INTRINSIC __nv_bfloat16 operator operation(const __nv_bfloat16& a, const __nv_bfloat16& b) { return name(a, b); } \
  GPULAB_INTRINSIC __nv_bfloat162 operator operation(const __nv_bfloat162& a, const __nv_bfloat162& b) { return name2(a, b); } \
  GPULAB_INTRINSIC __nv_bfloat16& operator operation##=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = name(a, b); } \
  GPULAB_INTRINSIC __nv_bfloat162& operator operation##=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = name2(a, b); }
GPULAB_BFLOAT_OPERATOR(+, __hadd, __hadd2) GPULAB_BFLOAT_OPERATOR(-, __hsub, __hsub2)
GPULAB_BFLOAT_OPERATOR(*, __hmul, __hmul2) GPULAB_BFLOAT_OPERATOR(/, __hdiv, __h2div)
#undef GPULAB_BFLOAT_OPERATOR
GPULAB_INTRINSIC __nv_bfloat16 operator+(const __nv_bfloat16& x) { return x; }
GPULAB_INTRINSIC __nv_bfloat16 operator-(const __nv_bfloat16& x) { return __hneg(x); }
GPULAB_INTRINSIC __nv_bfloat162 operator+(const __nv_bfloat162& v) { return v; }
GPULAB_INTRINSIC __nv_bfloat162 operator-(const __nv_bfloat162& v) { return __hneg2(v); }
GPULAB_INTRINSIC __nv_bfloat16& operator++(__nv_bfloat16& x) { return x = __hadd(x, gpulab_bfloat(1)); }
GPULAB_INTRINSIC __nv_bfloat16& operator--(__nv_bfloat16& x) { return x = __hsub(x, gpulab_bfloat(1)); }
#define GPULAB_BFLOAT_RELATION(operation, name, of_pair)                                                  \
  GPULAB_INTRINSIC bool operator operation(const __nv_bfloat16& a, const __nv_bfloat16& b) { return name(a, b); } \
  GPULAB_INTRINSIC bool operator operation(const __nv_bfloat162& a, const __nv_bfloat162& b) { return of_pair(a, b); }
GPULAB_BFLOAT_RELATION(==, __heq, __hbeq2) GPULAB_BFLOAT_RELATION(!=, __hneu, __hbneu2)
GPULAB_BFLOAT_RELATION(<, __hlt, __hblt2) GPULAB_BFLOAT_RELATION(<=, __hle, __hble2)
GPULAB_BFLOAT_RELATION(>, __hgt, __hbgt2) GPULAB_BFLOAT_RELATION(>=, __hge, __hbge2)
#undef GPULAB_BFLOAT_RELATION
#define GPULAB_BFLOAT_ATOMIC(type, add)                                                                   \
  GPULAB_INTRINSIC type atomicAdd(type* address, type value) {                                            \
    return gpulab_atomic(address, [value](type old) GPULAB_UNHOOKED { return add(old, value); });         \
  }
GPULAB_BFLOAT_ATOMIC(__nv_bfloat16, __hadd) GPULAB_BFLOAT_ATOMIC(__nv_bfloat162, __hadd2)
#undef GPULAB_BFLOAT_ATOMIC
