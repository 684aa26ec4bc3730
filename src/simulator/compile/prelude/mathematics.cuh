// Mathematics: the C library's functions, in double and in float, and CUDA's fast spellings of them.
#define GPULAB_MATH1(name)                                                \
  extern "C" double name(double);                                         \
  extern "C" float name##f(float);                                        \
  GPULAB_INTRINSIC float name(float x) { return __builtin_##name##f(x); }
GPULAB_MATH1(sqrt) GPULAB_MATH1(cbrt) GPULAB_MATH1(exp) GPULAB_MATH1(exp2) GPULAB_MATH1(expm1)
GPULAB_MATH1(log) GPULAB_MATH1(log2) GPULAB_MATH1(log10) GPULAB_MATH1(log1p) GPULAB_MATH1(sin)
GPULAB_MATH1(cos) GPULAB_MATH1(tan) GPULAB_MATH1(asin) GPULAB_MATH1(acos) GPULAB_MATH1(atan)
GPULAB_MATH1(sinh) GPULAB_MATH1(cosh) GPULAB_MATH1(tanh) GPULAB_MATH1(fabs) GPULAB_MATH1(floor)
GPULAB_MATH1(ceil) GPULAB_MATH1(round) GPULAB_MATH1(trunc) GPULAB_MATH1(rint) GPULAB_MATH1(erf)
GPULAB_MATH1(erfc) GPULAB_MATH1(tgamma) GPULAB_MATH1(lgamma)
#undef GPULAB_MATH1
#define GPULAB_MATH2(name)                                                \
  extern "C" double name(double, double);                                 \
  extern "C" float name##f(float, float);                                 \
  GPULAB_INTRINSIC float name(float x, float y) { return __builtin_##name##f(x, y); }
GPULAB_MATH2(pow) GPULAB_MATH2(atan2) GPULAB_MATH2(fmod) GPULAB_MATH2(hypot) GPULAB_MATH2(fmin)
GPULAB_MATH2(fmax) GPULAB_MATH2(copysign) GPULAB_MATH2(fdim)
#undef GPULAB_MATH2
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
GPULAB_INTRINSIC float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
GPULAB_INTRINSIC void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
GPULAB_INTRINSIC float rsqrtf(float x) { return 1.0f / sqrtf(x); }
GPULAB_INTRINSIC double rsqrt(double x) { return 1.0 / sqrt(x); }
GPULAB_INTRINSIC float rsqrt(float x) { return rsqrtf(x); }
GPULAB_INTRINSIC float __expf(float x) { return expf(x); }
GPULAB_INTRINSIC float __exp10f(float x) { return __builtin_powf(10.0f, x); }
GPULAB_INTRINSIC float __logf(float x) { return logf(x); }
GPULAB_INTRINSIC float __log2f(float x) { return log2f(x); }
GPULAB_INTRINSIC float __sinf(float x) { return sinf(x); }
GPULAB_INTRINSIC float __cosf(float x) { return cosf(x); }
GPULAB_INTRINSIC float __tanf(float x) { return tanf(x); }
GPULAB_INTRINSIC float __powf(float x, float y) { return powf(x, y); }
GPULAB_INTRINSIC float __fdividef(float x, float y) { return x / y; }
GPULAB_INTRINSIC float __fsqrt_rn(float x) { return sqrtf(x); }
GPULAB_INTRINSIC float __frsqrt_rn(float x) { return rsqrtf(x); }
GPULAB_INTRINSIC float __frcp_rn(float x) { return 1.0f / x; }
GPULAB_INTRINSIC float __fadd_rn(float x, float y) { return x + y; }
GPULAB_INTRINSIC float __fmul_rn(float x, float y) { return x * y; }
GPULAB_INTRINSIC float __fdiv_rn(float x, float y) { return x / y; }
GPULAB_INTRINSIC float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
GPULAB_INTRINSIC float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
GPULAB_INTRINSIC bool isnan(double x) { return __builtin_isnan(x); }
GPULAB_INTRINSIC bool isinf(double x) { return __builtin_isinf(x); }
GPULAB_INTRINSIC bool isfinite(double x) { return __builtin_isfinite(x); }
GPULAB_INTRINSIC bool signbit(double x) { return __builtin_signbit(x); }
GPULAB_INTRINSIC int abs(int x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC long abs(long x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC long long abs(long long x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC float abs(float x) { return __builtin_fabsf(x); }
GPULAB_INTRINSIC double abs(double x) { return __builtin_fabs(x); }
#define GPULAB_MIN_MAX(type)                                              \
  GPULAB_INTRINSIC type min(type a, type b) { return b < a ? b : a; }     \
  GPULAB_INTRINSIC type max(type a, type b) { return a < b ? b : a; }
GPULAB_MIN_MAX(int) GPULAB_MIN_MAX(unsigned) GPULAB_MIN_MAX(long) GPULAB_MIN_MAX(unsigned long)
GPULAB_MIN_MAX(long long) GPULAB_MIN_MAX(unsigned long long)
#undef GPULAB_MIN_MAX
GPULAB_INTRINSIC float min(float a, float b) { return fminf(a, b); }
GPULAB_INTRINSIC float max(float a, float b) { return fmaxf(a, b); }
GPULAB_INTRINSIC double min(double a, double b) { return fmin(a, b); }
GPULAB_INTRINSIC double max(double a, double b) { return fmax(a, b); }
// Of two types the wider or, of the same width, the unsigned one.
#define GPULAB_MIXED_MIN_MAX(narrow, wide)                                        \
  GPULAB_INTRINSIC wide min(narrow a, wide b) { return min(wide(a), b); }         \
  GPULAB_INTRINSIC wide min(wide a, narrow b) { return min(a, wide(b)); }         \
  GPULAB_INTRINSIC wide max(narrow a, wide b) { return max(wide(a), b); }         \
  GPULAB_INTRINSIC wide max(wide a, narrow b) { return max(a, wide(b)); }
typedef unsigned long gpulab_ulong;
typedef unsigned long long gpulab_ulonglong;
GPULAB_MIXED_MIN_MAX(int, unsigned) GPULAB_MIXED_MIN_MAX(long, gpulab_ulong)
GPULAB_MIXED_MIN_MAX(long long, gpulab_ulonglong) GPULAB_MIXED_MIN_MAX(float, double)
#undef GPULAB_MIXED_MIN_MAX
