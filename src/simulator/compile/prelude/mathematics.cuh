// For: sqrt sqrtf cbrt cbrtf exp expf exp2 exp2f exp10 exp10f expm1 expm1f log logf log2 log2f log10 log10f log1p
// For: log1pf sin sinf cos cosf tan tanf asin asinf acos acosf atan atanf sinh sinhf cosh coshf tanh tanhf asinh
// For: asinhf acosh acoshf atanh atanhf fabs fabsf floor floorf ceil ceilf round roundf trunc truncf rint rintf
// For: nearbyint nearbyintf erf erff erfc erfcf tgamma tgammaf lgamma lgammaf logb logbf pow powf atan2 atan2f fmod
// For: fmodf hypot hypotf copysign copysignf fdim fdimf remainder remainderf nextafter nextafterf fma fmaf __*f
// For: __saturatef __fdividef isnan isinf isfinite signbit rsqrt rsqrtf max min std include_* fmin fmax
// Mathematics: the C library's functions, in double and in float, and CUDA's fast spellings of them. The library's
// results and a GPU's are within a few units in the last place of each other; docs/cuda-names.md has the list.
#ifndef GPULAB_PROGRAM
#define GPULAB_MATH1(name)                                                \
  extern "C" double name(double);                                         \
  extern "C" float name##f(float);                                        \
  GPULAB_INTRINSIC float name(float x) { return name##f(x); }
GPULAB_MATH1(sqrt) GPULAB_MATH1(cbrt) GPULAB_MATH1(exp) GPULAB_MATH1(exp2) GPULAB_MATH1(exp10) GPULAB_MATH1(expm1)
GPULAB_MATH1(log) GPULAB_MATH1(log2) GPULAB_MATH1(log10) GPULAB_MATH1(log1p) GPULAB_MATH1(sin) GPULAB_MATH1(cos)
GPULAB_MATH1(tan) GPULAB_MATH1(asin) GPULAB_MATH1(acos) GPULAB_MATH1(atan) GPULAB_MATH1(sinh) GPULAB_MATH1(cosh)
GPULAB_MATH1(tanh) GPULAB_MATH1(asinh) GPULAB_MATH1(acosh) GPULAB_MATH1(atanh) GPULAB_MATH1(fabs) GPULAB_MATH1(floor)
GPULAB_MATH1(ceil) GPULAB_MATH1(round) GPULAB_MATH1(trunc) GPULAB_MATH1(rint) GPULAB_MATH1(nearbyint)
GPULAB_MATH1(erf) GPULAB_MATH1(erfc) GPULAB_MATH1(tgamma) GPULAB_MATH1(lgamma) GPULAB_MATH1(logb)
#undef GPULAB_MATH1
#define GPULAB_MATH2(name)                                                \
  extern "C" double name(double, double);                                 \
  extern "C" float name##f(float, float);                                 \
  GPULAB_INTRINSIC float name(float x, float y) { return name##f(x, y); }
GPULAB_MATH2(pow) GPULAB_MATH2(atan2) GPULAB_MATH2(fmod) GPULAB_MATH2(hypot)
GPULAB_MATH2(copysign) GPULAB_MATH2(fdim) GPULAB_MATH2(remainder) GPULAB_MATH2(nextafter)
#undef GPULAB_MATH2
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
GPULAB_INTRINSIC float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
GPULAB_INTRINSIC float pow(float x, int y) { return powf(x, float(y)); }
GPULAB_INTRINSIC double pow(double x, int y) { return pow(x, double(y)); }
GPULAB_INTRINSIC double copysign(double x, float y) { return copysign(x, double(y)); }
GPULAB_INTRINSIC double copysign(float x, double y) { return copysign(double(x), y); }
#else
GPULAB_INTRINSIC float exp10(float x) { return exp10f(x); }
// The C library reserves these names.
#define __expf gpulab_expf
#define __exp10f gpulab_exp10f
#define __logf gpulab_logf
#define __log2f gpulab_log2f
#define __log10f gpulab_log10f
#define __sinf gpulab_sinf
#define __cosf gpulab_cosf
#define __tanf gpulab_tanf
#define __tanhf gpulab_tanhf
#define __powf gpulab_powf
#define __sincosf gpulab_sincosf
#endif
// rsqrtf() is computed in double, and so correctly rounded.
GPULAB_INTRINSIC double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
GPULAB_INTRINSIC float rsqrtf(float x) { return float(rsqrt(double(x))); }
GPULAB_INTRINSIC float rsqrt(float x) { return rsqrtf(x); }
GPULAB_INTRINSIC float __expf(float x) { return expf(x); }
GPULAB_INTRINSIC float __exp10f(float x) { return exp10f(x); }
GPULAB_INTRINSIC float __logf(float x) { return logf(x); }
GPULAB_INTRINSIC float __log2f(float x) { return log2f(x); }
GPULAB_INTRINSIC float __log10f(float x) { return log10f(x); }
GPULAB_INTRINSIC float __sinf(float x) { return sinf(x); }
GPULAB_INTRINSIC float __cosf(float x) { return cosf(x); }
GPULAB_INTRINSIC float __tanf(float x) { return tanf(x); }
GPULAB_INTRINSIC float __tanhf(float x) { return tanhf(x); }
GPULAB_INTRINSIC float __powf(float x, float y) { return powf(x, y); }
// The GPU's fast division returns 0 for divisors above 2^126.
GPULAB_INTRINSIC float __fdividef(float x, float y) {
  return __builtin_fabsf(y) > 0x1p126f && __builtin_fabsf(y) < __builtin_inff() ? x * 0.0f : x / y;
}
GPULAB_INTRINSIC float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
#ifndef GPULAB_PROGRAM
#define GPULAB_IS(name)                                                   \
  GPULAB_INTRINSIC int name(double x) { return __builtin_##name(x) != 0; }\
  GPULAB_INTRINSIC int name(float x) { return __builtin_##name(x) != 0; }
GPULAB_IS(isnan) GPULAB_IS(isinf) GPULAB_IS(isfinite) GPULAB_IS(signbit)
#undef GPULAB_IS
#endif
