// For: include_cuda_fp16_h include_cuda_bf16_h include_mma_h
// cuda_fp16.h: halves are stored as 16 bits. Arithmetic is done in float, for fma in double, and rounded once more,
// which for 11 significant bits is the same as rounding once.
GPULAB_INTRINSIC float gpulab_half_value(unsigned bits) {
  const unsigned sign = (bits & 0x8000) << 16, rest = bits & 0x7fff;
  unsigned word;
  float value;
  if (rest >= 0x7c00) {  // infinity or NaN
    word = sign | 0x7f800000 | (rest & 0x3ff) << 13;
  } else if (rest >= 0x400) {
    word = sign | ((rest << 13) + (112u << 23));  // 112: the difference of the exponents' biases, 127 and 15
  } else {  // subnormal
    value = float(rest) * 0x1p-24f;
    __builtin_memcpy(&word, &value, sizeof word);
    word |= sign;
  }
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
enum gpulab_half_rounding { gpulab_to_nearest, gpulab_to_zero, gpulab_upwards, gpulab_downwards };
// Converts from double, so that every source is rounded once.
GPULAB_INTRINSIC unsigned short gpulab_half_bits(double x, gpulab_half_rounding rounding = gpulab_to_nearest) {
  if (x != x) return 0x7fff;
  const bool negative = __builtin_signbit(x);
  const double size = __builtin_fabs(x);
  const bool rounds_away = rounding == (negative ? gpulab_downwards : gpulab_upwards);
  const unsigned sign = negative ? 0x8000 : 0;
  if (size >= 65536.0 || (size > 65504.0 && (rounds_away || (rounding == gpulab_to_nearest && size >= 65520.0)))) {
    const bool stays_finite = !(size > 1.7976931348623157e308) && rounding != gpulab_to_nearest && !rounds_away;
    return (unsigned short)(sign | (stays_finite ? 0x7bff : 0x7c00));
  }
  if (size > 65504.0) return (unsigned short)(sign | 0x7bff);
  // Counts units in the last place: 2^-24 for small numbers, else 10 bits below the first.
  unsigned long long word;
  __builtin_memcpy(&word, &size, sizeof word);
  const int exponent = int(word >> 52) - 1023;
  const int power = exponent < -14 ? -24 : exponent - 10;
  const unsigned long long scale_bits = (unsigned long long)(1023 - power) << 52;
  double scale;
  __builtin_memcpy(&scale, &scale_bits, sizeof scale);
  const double units = size * scale;
  unsigned whole = unsigned(units);
  const double rest = units - whole;
  const bool is_over_half = rest > 0.5 || (rest == 0.5 && (whole & 1));  // ties to even
  if (rounding == gpulab_to_nearest ? is_over_half : rounds_away && rest > 0) ++whole;
  // A carry runs into the exponent, as it should.
  return (unsigned short)(sign | (exponent < -14 ? whole : (unsigned)(exponent + 14) * 1024 + whole));
}
struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __nv_bfloat16;
struct __half {
  unsigned short __x;
  __half() = default;
  __half(const __half_raw& raw) : __x(raw.x) {}
  explicit __half(const __nv_bfloat16& x);  // in cuda_bf16.h
#define GPULAB_FROM(type) __half(type x) : __x(gpulab_half_bits(double(x))) {}
  GPULAB_FROM(float) GPULAB_FROM(double) GPULAB_FROM(short) GPULAB_FROM(unsigned short) GPULAB_FROM(int)
  GPULAB_FROM(unsigned) GPULAB_FROM(long) GPULAB_FROM(unsigned long) GPULAB_FROM(long long)
  GPULAB_FROM(unsigned long long)
#undef GPULAB_FROM
  operator float() const { return gpulab_half_value(__x); }
  operator __half_raw() const { return {__x}; }
#define GPULAB_TO(type) explicit operator type() const { return (type)gpulab_half_value(__x); }
  GPULAB_TO(short) GPULAB_TO(unsigned short) GPULAB_TO(int) GPULAB_TO(unsigned) GPULAB_TO(long) GPULAB_TO(long long)
  GPULAB_TO(unsigned long) GPULAB_TO(unsigned long long) GPULAB_TO(char) GPULAB_TO(signed char) GPULAB_TO(unsigned char)
#undef GPULAB_TO
  operator bool() const { return (__x & 0x7fff) != 0; }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
GPULAB_INTRINSIC __half gpulab_half(double x, gpulab_half_rounding rounding = gpulab_to_nearest) {
  return __half(__half_raw{gpulab_half_bits(x, rounding)});
}
GPULAB_INTRINSIC float gpulab_float(__half x) { return gpulab_half_value(x.__x); }
// Conversions.
GPULAB_INTRINSIC float __half2float(__half x) { return gpulab_float(x); }
GPULAB_INTRINSIC __half __float2half(float x) { return gpulab_half(x); }
GPULAB_INTRINSIC __half __double2half(double x) { return gpulab_half(x); }
GPULAB_INTRINSIC __half __float2half_rn(float x) { return gpulab_half(x); }
GPULAB_INTRINSIC __half __float2half_rz(float x) { return gpulab_half(x, gpulab_to_zero); }
GPULAB_INTRINSIC __half __float2half_ru(float x) { return gpulab_half(x, gpulab_upwards); }
GPULAB_INTRINSIC __half __float2half_rd(float x) { return gpulab_half(x, gpulab_downwards); }
#define GPULAB_INTEGER_HALF(type, name, mode, rounding)                                                  \
  GPULAB_INTRINSIC __half __##name##2half_##mode(type x) { return gpulab_half(gpulab_clamped(x), rounding); }
// Converts an integer to double. Numbers far beyond the largest half become 1e12 or -1e12: a double could not hold all
// of them exactly, and the result is the same.
GPULAB_INTRINSIC double gpulab_clamped(long long x) {
  if (x >= -(1ll << 40) && x <= 1ll << 40) return double(x);
  return x < 0 ? -1e12 : 1e12;
}
GPULAB_INTRINSIC double gpulab_clamped(unsigned long long x) { return x <= 1ull << 40 ? double(x) : 1e12; }
GPULAB_INTRINSIC double gpulab_clamped(int x) { return x; }
GPULAB_INTRINSIC double gpulab_clamped(unsigned x) { return x; }
#define GPULAB_HALF_INTEGER(type, name, wide)                                                            \
  GPULAB_INTEGER_HALF(type, name, rn, gpulab_to_nearest) GPULAB_INTEGER_HALF(type, name, rz, gpulab_to_zero) \
  GPULAB_INTEGER_HALF(type, name, ru, gpulab_upwards) GPULAB_INTEGER_HALF(type, name, rd, gpulab_downwards) \
  GPULAB_HALF_TO(type, name, wide, rn) GPULAB_HALF_TO(type, name, wide, rz)                              \
  GPULAB_HALF_TO(type, name, wide, ru) GPULAB_HALF_TO(type, name, wide, rd)
#define GPULAB_HALF_TO(type, name, wide, mode)                                                           \
  GPULAB_INTRINSIC type __half2##name##_##mode(__half x) { return __float2##wide##_##mode(gpulab_float(x)); }
GPULAB_HALF_INTEGER(int, int, int)
GPULAB_HALF_INTEGER(unsigned, uint, uint)
GPULAB_HALF_INTEGER(long long, ll, ll)
GPULAB_HALF_INTEGER(unsigned long long, ull, ull)
#undef GPULAB_HALF_TO
#define GPULAB_HALF_TO(type, name, lowest, highest, mode)                                                \
  GPULAB_INTRINSIC type __half2##name##_##mode(__half x) {                                               \
    const int wide = __float2int_##mode(gpulab_float(x));                                                \
    return (type)(wide < lowest ? lowest : wide > highest ? highest : wide);                             \
  }
#define GPULAB_HALF_SHORT(type, name, lowest, highest)                                                   \
  GPULAB_INTRINSIC __half __##name##2half_rn(type x) { return gpulab_half(x); }                          \
  GPULAB_INTRINSIC __half __##name##2half_rz(type x) { return gpulab_half(x, gpulab_to_zero); }          \
  GPULAB_INTRINSIC __half __##name##2half_ru(type x) { return gpulab_half(x, gpulab_upwards); }          \
  GPULAB_INTRINSIC __half __##name##2half_rd(type x) { return gpulab_half(x, gpulab_downwards); }        \
  GPULAB_HALF_TO(type, name, lowest, highest, rn) GPULAB_HALF_TO(type, name, lowest, highest, rz)        \
  GPULAB_HALF_TO(type, name, lowest, highest, ru) GPULAB_HALF_TO(type, name, lowest, highest, rd)
typedef unsigned short gpulab_ushort;
GPULAB_HALF_SHORT(short, short, -32768, 32767)
GPULAB_HALF_SHORT(gpulab_ushort, ushort, 0, 65535)
#undef GPULAB_HALF_SHORT
#undef GPULAB_HALF_INTEGER
#undef GPULAB_INTEGER_HALF
GPULAB_HALF_TO(signed char, char, -128, 127, rz)
GPULAB_HALF_TO(unsigned char, uchar, 0, 255, rz)
#undef GPULAB_HALF_TO
GPULAB_INTRINSIC unsigned short __half_as_ushort(__half x) { return x.__x; }
GPULAB_INTRINSIC short __half_as_short(__half x) { return short(x.__x); }
GPULAB_INTRINSIC __half __ushort_as_half(unsigned short x) { return __half(__half_raw{x}); }
GPULAB_INTRINSIC __half __short_as_half(short x) { return __half(__half_raw{(unsigned short)x}); }
GPULAB_INTRINSIC __half2 make_half2(__half x, __half y) { return {x, y}; }
GPULAB_INTRINSIC __half2 __halves2half2(__half x, __half y) { return {x, y}; }
GPULAB_INTRINSIC __half2 __half2half2(__half x) { return {x, x}; }
GPULAB_INTRINSIC __half2 __float2half2_rn(float x) { return {gpulab_half(x), gpulab_half(x)}; }
GPULAB_INTRINSIC __half2 __floats2half2_rn(float x, float y) { return {gpulab_half(x), gpulab_half(y)}; }
GPULAB_INTRINSIC __half2 __float22half2_rn(float2 v) { return {gpulab_half(v.x), gpulab_half(v.y)}; }
GPULAB_INTRINSIC float2 __half22float2(__half2 v) { return {gpulab_float(v.x), gpulab_float(v.y)}; }
GPULAB_INTRINSIC float __low2float(__half2 v) { return gpulab_float(v.x); }
GPULAB_INTRINSIC float __high2float(__half2 v) { return gpulab_float(v.y); }
GPULAB_INTRINSIC __half __low2half(__half2 v) { return v.x; }
GPULAB_INTRINSIC __half __high2half(__half2 v) { return v.y; }
GPULAB_INTRINSIC __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
GPULAB_INTRINSIC __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
GPULAB_INTRINSIC __half2 __lows2half2(__half2 v, __half2 w) { return {v.x, w.x}; }
GPULAB_INTRINSIC __half2 __highs2half2(__half2 v, __half2 w) { return {v.y, w.y}; }
GPULAB_INTRINSIC __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
// Arithmetic, of halves and of pairs.
GPULAB_INTRINSIC __half gpulab_within_0_and_1(__half x) {
  const float value = gpulab_float(x);
  return gpulab_half(value > 0 ? (value < 1 ? value : 1) : 0);
}
#define GPULAB_HALF_2(name, expression)                                                                  \
  GPULAB_INTRINSIC __half name(__half a, __half b) {                                                     \
    const float x = gpulab_float(a), y = gpulab_float(b);                                                \
    return gpulab_half(expression);                                                                      \
  }                                                                                                      \
  GPULAB_INTRINSIC __half name##_rn(__half a, __half b) { return name(a, b); }                           \
  GPULAB_INTRINSIC __half name##_sat(__half a, __half b) { return gpulab_within_0_and_1(name(a, b)); }   \
  GPULAB_INTRINSIC __half2 name##2(__half2 a, __half2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }    \
  GPULAB_INTRINSIC __half2 name##2_rn(__half2 a, __half2 b) { return name##2(a, b); }                    \
  GPULAB_INTRINSIC __half2 name##2_sat(__half2 a, __half2 b) { return {name##_sat(a.x, b.x), name##_sat(a.y, b.y)}; }
GPULAB_HALF_2(__hadd, x + y) GPULAB_HALF_2(__hsub, x - y) GPULAB_HALF_2(__hmul, x* y)
#undef GPULAB_HALF_2
GPULAB_INTRINSIC __half __hdiv(__half a, __half b) { return gpulab_half(gpulab_float(a) / gpulab_float(b)); }
GPULAB_INTRINSIC __half2 __h2div(__half2 a, __half2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
GPULAB_INTRINSIC __half __hfma(__half a, __half b, __half c) {
  return gpulab_half(double(gpulab_float(a)) * gpulab_float(b) + gpulab_float(c));
}
GPULAB_INTRINSIC __half __hfma_sat(__half a, __half b, __half c) { return gpulab_within_0_and_1(__hfma(a, b, c)); }
GPULAB_INTRINSIC __half __hfma_relu(__half a, __half b, __half c) {
  const __half value = __hfma(a, b, c);
  return gpulab_float(value) <= 0 ? __half(__half_raw{0}) : value;  // also -0
}
#define GPULAB_HALF_FMA(name, of_one) \
  GPULAB_INTRINSIC __half2 name(__half2 a, __half2 b, __half2 c) {                                       \
    return {of_one(a.x, b.x, c.x), of_one(a.y, b.y, c.y)};                                               \
  }
GPULAB_HALF_FMA(__hfma2, __hfma) GPULAB_HALF_FMA(__hfma2_sat, __hfma_sat) GPULAB_HALF_FMA(__hfma2_relu, __hfma_relu)
#undef GPULAB_HALF_FMA
// Complex numbers.
GPULAB_INTRINSIC __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  return {__hfma(__half(__half_raw{(unsigned short)(a.y.__x ^ 0x8000)}), b.y, __hfma(a.x, b.x, c.x)),
          __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
GPULAB_INTRINSIC __half __hneg(__half x) { return __half(__half_raw{(unsigned short)(x.__x ^ 0x8000)}); }
GPULAB_INTRINSIC __half __habs(__half x) { return __half(__half_raw{(unsigned short)(x.__x & 0x7fff)}); }
GPULAB_INTRINSIC __half2 __hneg2(__half2 v) { return {__hneg(v.x), __hneg(v.y)}; }
GPULAB_INTRINSIC __half2 __habs2(__half2 v) { return {__habs(v.x), __habs(v.y)}; }
// Comparisons; those that end in u are true of NaN.
GPULAB_INTRINSIC bool __hisnan(__half x) { return (x.__x & 0x7fff) > 0x7c00; }
GPULAB_INTRINSIC int __hisinf(__half x) { return x.__x == 0x7c00 ? 1 : x.__x == 0xfc00 ? -1 : 0; }
GPULAB_INTRINSIC __half2 __hisnan2(__half2 v) {
  return {__half(__hisnan(v.x) ? 1.0f : 0.0f), __half(__hisnan(v.y) ? 1.0f : 0.0f)};
}
#define GPULAB_HALF_COMPARE_(name, suffix, expression)                                                   \
  GPULAB_INTRINSIC bool __h##name##suffix(__half a, __half b) {                                          \
    const float x = gpulab_float(a), y = gpulab_float(b);                                                \
    return expression;                                                                                   \
  }                                                                                                      \
  GPULAB_INTRINSIC __half2 __h##name##suffix##2(__half2 a, __half2 b) {                                  \
    return {__half(__h##name##suffix(a.x, b.x) ? 1.0f : 0.0f), __half(__h##name##suffix(a.y, b.y) ? 1.0f : 0.0f)}; \
  }                                                                                                      \
  GPULAB_INTRINSIC bool __hb##name##suffix##2(__half2 a, __half2 b) {                                    \
    return __h##name##suffix(a.x, b.x) && __h##name##suffix(a.y, b.y);                                   \
  }                                                                                                      \
  GPULAB_INTRINSIC unsigned __h##name##suffix##2_mask(__half2 a, __half2 b) {                          \
    return (__h##name##suffix(a.x, b.x) ? 0xffffu : 0) | (__h##name##suffix(a.y, b.y) ? 0xffff0000u : 0); \
  }
#define GPULAB_HALF_COMPARE(name, operation)                                                             \
  GPULAB_HALF_COMPARE_(name, , x operation y) GPULAB_HALF_COMPARE_(name, u, x != x || y != y || x operation y)
GPULAB_HALF_COMPARE(eq, ==) GPULAB_HALF_COMPARE(lt, <) GPULAB_HALF_COMPARE(le, <=)
GPULAB_HALF_COMPARE(gt, >) GPULAB_HALF_COMPARE(ge, >=)
GPULAB_HALF_COMPARE_(ne, , x == x && y == y && x != y) GPULAB_HALF_COMPARE_(ne, u, x != y)
#undef GPULAB_HALF_COMPARE
#undef GPULAB_HALF_COMPARE_
#define GPULAB_HALF_MIN_OR_MAX(name, expression, of_nan)                                                 \
  GPULAB_INTRINSIC __half name(__half a, __half b) {                                                     \
    if (__hisnan(a) || __hisnan(b)) return of_nan;                                                       \
    const float x = gpulab_float(a), y = gpulab_float(b);                                                \
    return (expression) ? a : b;                                                                         \
  }
#define GPULAB_LESS (x < y || (x == y && (a.__x & 0x8000)))
#define GPULAB_MORE (x > y || (x == y && !(a.__x & 0x8000)))
#define GPULAB_NUMBER (__hisnan(a) ? (__hisnan(b) ? __half(__half_raw{0x7fff}) : b) : a)
GPULAB_HALF_MIN_OR_MAX(__hmin, GPULAB_LESS, GPULAB_NUMBER) GPULAB_HALF_MIN_OR_MAX(__hmax, GPULAB_MORE, GPULAB_NUMBER)
GPULAB_HALF_MIN_OR_MAX(__hmin_nan, GPULAB_LESS, __half(__half_raw{0x7fff}))
GPULAB_HALF_MIN_OR_MAX(__hmax_nan, GPULAB_MORE, __half(__half_raw{0x7fff}))
#undef GPULAB_NUMBER
#undef GPULAB_LESS
#undef GPULAB_MORE
#undef GPULAB_HALF_MIN_OR_MAX
GPULAB_INTRINSIC __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
GPULAB_INTRINSIC __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
GPULAB_INTRINSIC __half2 __hmin2_nan(__half2 a, __half2 b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }
GPULAB_INTRINSIC __half2 __hmax2_nan(__half2 a, __half2 b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }
// Mathematics.
#define GPULAB_HALF_1(name, expression)                                                                  \
  GPULAB_INTRINSIC __half h##name(__half a) {                                                            \
    const double x = gpulab_float(a);                                                                    \
    return gpulab_half(expression);                                                                      \
  }                                                                                                      \
  GPULAB_INTRINSIC __half2 h2##name(__half2 a) { return {h##name(a.x), h##name(a.y)}; }
GPULAB_HALF_1(sqrt, __builtin_sqrt(x)) GPULAB_HALF_1(rsqrt, 1 / __builtin_sqrt(x)) GPULAB_HALF_1(rcp, 1 / x)
GPULAB_HALF_1(exp, __builtin_exp(x)) GPULAB_HALF_1(exp2, __builtin_exp2(x)) GPULAB_HALF_1(exp10, __builtin_pow(10, x))
GPULAB_HALF_1(log, __builtin_log(x)) GPULAB_HALF_1(log2, __builtin_log2(x)) GPULAB_HALF_1(log10, __builtin_log10(x))
GPULAB_HALF_1(sin, __builtin_sin(x)) GPULAB_HALF_1(cos, __builtin_cos(x)) GPULAB_HALF_1(tanh, __builtin_tanh(x))
GPULAB_HALF_1(floor, __builtin_floor(x)) GPULAB_HALF_1(ceil, __builtin_ceil(x)) GPULAB_HALF_1(trunc, __builtin_trunc(x))
GPULAB_HALF_1(rint, __builtin_rint(x)) GPULAB_HALF_1(tanh_approx, __builtin_tanh(x))
#undef GPULAB_HALF_1
#define GPULAB_HALF_OPERATOR(operation, name, name2)                                                     \
  GPULAB_INTRINSIC __half operator operation(const __half& a, const __half& b) { return name(a, b); }    \
  GPULAB_INTRINSIC __half2 operator operation(const __half2& a, const __half2& b) { return name2(a, b); } \
  GPULAB_INTRINSIC __half& operator operation##=(__half& a, const __half& b) { return a = name(a, b); }  \
  GPULAB_INTRINSIC __half2& operator operation##=(__half2& a, const __half2& b) { return a = name2(a, b); }
GPULAB_HALF_OPERATOR(+, __hadd, __hadd2) GPULAB_HALF_OPERATOR(-, __hsub, __hsub2)
GPULAB_HALF_OPERATOR(*, __hmul, __hmul2) GPULAB_HALF_OPERATOR(/, __hdiv, __h2div)
#undef GPULAB_HALF_OPERATOR
GPULAB_INTRINSIC __half operator+(const __half& x) { return x; }
GPULAB_INTRINSIC __half operator-(const __half& x) { return __hneg(x); }
GPULAB_INTRINSIC __half2 operator+(const __half2& v) { return v; }
GPULAB_INTRINSIC __half2 operator-(const __half2& v) { return __hneg2(v); }
GPULAB_INTRINSIC __half& operator++(__half& x) { return x = __hadd(x, __half(1.0f)); }
GPULAB_INTRINSIC __half& operator--(__half& x) { return x = __hsub(x, __half(1.0f)); }
#define GPULAB_HALF_RELATION(operation, name, of_pair)                                                   \
  GPULAB_INTRINSIC bool operator operation(const __half& a, const __half& b) { return name(a, b); }      \
  GPULAB_INTRINSIC bool operator operation(const __half2& a, const __half2& b) { return of_pair(a, b); }
GPULAB_HALF_RELATION(==, __heq, __hbeq2) GPULAB_HALF_RELATION(!=, __hneu, __hbneu2)
GPULAB_HALF_RELATION(<, __hlt, __hblt2) GPULAB_HALF_RELATION(<=, __hle, __hble2)
GPULAB_HALF_RELATION(>, __hgt, __hbgt2) GPULAB_HALF_RELATION(>=, __hge, __hbge2)
#undef GPULAB_HALF_RELATION
#define GPULAB_HALF_ATOMIC(type, add)                                                                    \
  GPULAB_INTRINSIC type atomicAdd(type* address, type value) {                                           \
    return gpulab_atomic(address, [value](type old) GPULAB_UNHOOKED { return add(old, value); });        \
  }
GPULAB_HALF_ATOMIC(__half, __hadd) GPULAB_HALF_ATOMIC(__half2, __hadd2)
#undef GPULAB_HALF_ATOMIC
