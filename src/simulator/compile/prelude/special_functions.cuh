// For: rcbrt* rhypot* norm* rnorm* sinpi* cospi* sincos* __sincosf erfinv* erfcinv* erfcx* normcdf* cyl_bessel_* j0*
// For: j1* jn* y0* y1* yn* fdivide* nan nanf ldexp* frexp* modf* scalb* ilogb* lrint* llrint* lround* llround*
// For: remquo*
// The rarer functions of the CUDA Math API, computed in double, and rounded to float for float.
#ifndef GPULAB_PROGRAM
#define GPULAB_FROM_LIBRARY(result, name)                                 \
  extern "C" result name(double);                                         \
  extern "C" result name##f(float);                                       \
  GPULAB_INTRINSIC result name(float x) { return name##f(x); }
GPULAB_FROM_LIBRARY(int, ilogb)
#undef GPULAB_FROM_LIBRARY
// The C library's conversions do not saturate.
#define GPULAB_TO_NEAREST(result, name, of_float, of_double)                        \
  GPULAB_INTRINSIC result name(double x) { return of_double; }                      \
  GPULAB_INTRINSIC result name##f(float x) { return of_float; }                     \
  GPULAB_INTRINSIC result name(float x) { return of_float; }
GPULAB_TO_NEAREST(long, lrint, __float2ll_rn(x), __double2ll_rn(x))
GPULAB_TO_NEAREST(long long, llrint, __float2ll_rn(x), __double2ll_rn(x))
GPULAB_TO_NEAREST(long, lround, __float2ll_rz(__builtin_roundf(x)), __double2ll_rz(__builtin_round(x)))
GPULAB_TO_NEAREST(long long, llround, __float2ll_rz(__builtin_roundf(x)), __double2ll_rz(__builtin_round(x)))
#undef GPULAB_TO_NEAREST
extern "C" double ldexp(double, int);
extern "C" float ldexpf(float, int);
extern "C" double scalbn(double, int), scalbln(double, long), nan(const char*);
extern "C" float scalbnf(float, int), scalblnf(float, long), nanf(const char*);
extern "C" double j0(double), j1(double), jn(int, double), y0(double), y1(double), yn(int, double);
extern "C" float j0f(float), j1f(float), jnf(int, float), y0f(float), y1f(float), ynf(int, float);
GPULAB_INTRINSIC float ldexp(float x, int n) { return ldexpf(x, n); }
GPULAB_INTRINSIC float scalbn(float x, int n) { return scalbnf(x, n); }
GPULAB_INTRINSIC float scalbln(float x, long n) { return scalblnf(x, n); }
// The C library is compiled without hooks, so the results are stored here, through the kernel's pointers.
#define GPULAB_STORES(type, pointee, name, builtin)                       \
  GPULAB_INTRINSIC type name(type x, pointee* result) {                 \
    pointee second;                                                       \
    const type first = builtin(x, &second);                               \
    *result = second;                                                   \
    return first;                                                         \
  }
GPULAB_STORES(double, int, frexp, __builtin_frexp) GPULAB_STORES(float, int, frexp, __builtin_frexpf)
GPULAB_STORES(float, int, frexpf, __builtin_frexpf) GPULAB_STORES(double, double, modf, __builtin_modf)
GPULAB_STORES(float, float, modf, __builtin_modff) GPULAB_STORES(float, float, modff, __builtin_modff)
#undef GPULAB_STORES
#define GPULAB_STORES_QUOTIENT(type, name, builtin)                       \
  GPULAB_INTRINSIC type name(type x, type y, int* quotient) {             \
    int bits;                                                             \
    const type rest = builtin(x, y, &bits);                               \
    *quotient = bits;                                                     \
    return rest;                                                          \
  }
GPULAB_STORES_QUOTIENT(double, remquo, __builtin_remquo) GPULAB_STORES_QUOTIENT(float, remquo, __builtin_remquof)
GPULAB_STORES_QUOTIENT(float, remquof, __builtin_remquof)
#undef GPULAB_STORES_QUOTIENT
#endif
GPULAB_INTRINSIC float j0(float x) { return j0f(x); }
GPULAB_INTRINSIC float j1(float x) { return j1f(x); }
GPULAB_INTRINSIC float jn(int n, float x) { return jnf(n, x); }
GPULAB_INTRINSIC float y0(float x) { return y0f(x); }
GPULAB_INTRINSIC float y1(float x) { return y1f(x); }
GPULAB_INTRINSIC float yn(int n, float x) { return ynf(n, x); }
GPULAB_INTRINSIC float fdividef(float x, float y) { return x / y; }
GPULAB_INTRINSIC double fdivide(double x, double y) { return x / y; }
GPULAB_INTRINSIC float fdivide(float x, float y) { return x / y; }
// The remainder by 2 is exact, so sine and cosine of pi * x are exact at every half.
GPULAB_INTRINSIC double gpulab_sinpi(double x) {
  constexpr double pi = 3.14159265358979323846;
  const double rest = x - 2 * __builtin_rint(x / 2);  // in [-1, 1]
  const double size = __builtin_fabs(rest);
  if (!(size <= 1)) return __builtin_nan("");
  if (size == 1) return rest > 0 ? 0.0 : -0.0;
  const double value = size <= 0.25   ? __builtin_sin(pi * size)
                       : size <= 0.75 ? __builtin_cos(pi * (size - 0.5))
                                      : __builtin_sin(pi * (1 - size));
  return __builtin_copysign(value, rest);
}
GPULAB_INTRINSIC double gpulab_cospi(double x) {
  constexpr double pi = 3.14159265358979323846;
  const double size = __builtin_fabs(x - 2 * __builtin_rint(x / 2));
  if (!(size <= 1)) return __builtin_nan("");
  if (size == 0.5) return 0;
  return size <= 0.25 ? __builtin_cos(pi * size) : size <= 0.75 ? __builtin_sin(pi * (0.5 - size))
                                                                : -__builtin_cos(pi * (1 - size));
}
GPULAB_INTRINSIC double gpulab_rcbrt(double x) { return 1 / __builtin_cbrt(x); }
GPULAB_INTRINSIC double gpulab_erfcx(double x) {
  if (x < 25) return __builtin_exp(x * x) * __builtin_erfc(x);
  const double t = 1 / (x * x);  // of the asymptotic series
  const double tail = 6.5625 - t * (29.53125 - t * 162.421875);
  return (1 - t * (0.5 - t * (0.75 - t * (1.875 - t * tail)))) / (x * 1.77245385090551602730);  // sqrt(pi)
}
// Solves erfc(y) = x by Halley's method, from the first guess of Numerical Recipes. The derivative of erfc has the
// factor 2 / sqrt(pi), which is 1.128.
GPULAB_INTRINSIC double gpulab_erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return __builtin_nan("");
  if (x == 0 || x == 2) return x == 0 ? __builtin_inf() : -__builtin_inf();
  const double p = x < 1 ? x : 2 - x;
  const double t = __builtin_sqrt(-2 * __builtin_log(p / 2));
  double y = -0.70711 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t);
  for (int i = 0; i < 4; ++i) {
    const double error = __builtin_erfc(y) - p;
    y += error / (1.12837916709551257 * __builtin_exp(-y * y) - y * error);
  }
  return x < 1 ? y : -y;
}
GPULAB_INTRINSIC double gpulab_erfinv(double x) {
  if (!(__builtin_fabs(x) < 0.5)) return __builtin_copysign(gpulab_erfcinv(1 - __builtin_fabs(x)), x);
  double y = x * 0.886226925452758;  // sqrt(pi) / 2: exact to first order
  for (int i = 0; i < 6; ++i) {
    const double error = __builtin_erf(y) - x;
    const double slope = 1.12837916709551257 * __builtin_exp(-y * y);
    y -= error / (slope + y * error);
  }
  return y;
}
GPULAB_INTRINSIC double gpulab_normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
GPULAB_INTRINSIC double gpulab_normcdfinv(double x) { return -1.41421356237309504880 * gpulab_erfcinv(2 * x); }
// Modified Bessel functions: the power series where it converges fast, the asymptotic series beyond.
GPULAB_INTRINSIC double gpulab_bessel_i(int order, double x) {
  const double size = __builtin_fabs(x);
  double sum = 0;
  if (!(size > 30)) {
    double term = order == 0 ? 1 : size / 2;
    for (int k = 1; k < 200 && term > sum * 1e-18; ++k) {
      sum += term;
      term *= size * size / 4 / (k * (k + order));
    }
  } else {
    double term = 1;
    for (int k = 1; k < 40; ++k) {
      sum += term;
      const double odd = 2 * k - 1, next = term * (odd * odd - 4 * order * order) / (8 * k * size);
      if (__builtin_fabs(next) > __builtin_fabs(term)) break;
      term = next;
    }
    // exp(size) / sqrt(2 pi size), in two factors so that exp() does not overflow early.
    sum *= __builtin_exp(size / 2) / __builtin_sqrt(6.28318530717958647692 * size) * __builtin_exp(size / 2);
  }
  return order == 1 && x < 0 ? -sum : sum;
}
GPULAB_INTRINSIC double cyl_bessel_i0(double x) { return gpulab_bessel_i(0, x); }
GPULAB_INTRINSIC double cyl_bessel_i1(double x) { return gpulab_bessel_i(1, x); }
GPULAB_INTRINSIC float cyl_bessel_i0f(float x) { return float(gpulab_bessel_i(0, x)); }
GPULAB_INTRINSIC float cyl_bessel_i1f(float x) { return float(gpulab_bessel_i(1, x)); }
#define GPULAB_IN_DOUBLE(name)                                                     \
  GPULAB_INTRINSIC double name(double x) { return gpulab_##name(x); }              \
  GPULAB_INTRINSIC float name##f(float x) { return float(gpulab_##name(x)); }      \
  GPULAB_INTRINSIC float name(float x) { return float(gpulab_##name(x)); }
GPULAB_IN_DOUBLE(sinpi) GPULAB_IN_DOUBLE(cospi) GPULAB_IN_DOUBLE(rcbrt) GPULAB_IN_DOUBLE(erfcx)
GPULAB_IN_DOUBLE(erfcinv) GPULAB_IN_DOUBLE(erfinv) GPULAB_IN_DOUBLE(normcdf) GPULAB_IN_DOUBLE(normcdfinv)
#undef GPULAB_IN_DOUBLE
#define GPULAB_SINE_AND_COSINE(type, name, sine_of, cosine_of) \
  GPULAB_INTRINSIC void name(type x, type* sine, type* cosine) {         \
    *sine = type(sine_of(x)), *cosine = type(cosine_of(x));              \
  }
#ifndef GPULAB_PROGRAM
GPULAB_SINE_AND_COSINE(float, sincosf, __builtin_sinf, __builtin_cosf)
GPULAB_SINE_AND_COSINE(double, sincos, __builtin_sin, __builtin_cos)
#endif
GPULAB_SINE_AND_COSINE(float, __sincosf, __builtin_sinf, __builtin_cosf)
GPULAB_SINE_AND_COSINE(float, sincos, __builtin_sinf, __builtin_cosf)
GPULAB_SINE_AND_COSINE(float, sincospif, gpulab_sinpi, gpulab_cospi)
GPULAB_SINE_AND_COSINE(float, sincospi, gpulab_sinpi, gpulab_cospi)
GPULAB_SINE_AND_COSINE(double, sincospi, gpulab_sinpi, gpulab_cospi)
#undef GPULAB_SINE_AND_COSINE
// Euclidean norms without intermediate overflow: scaling by a power of two is exact.
GPULAB_INTRINSIC double gpulab_norm(double a, double b, double c, double d) {
  double largest = __builtin_fmax(__builtin_fmax(__builtin_fabs(a), __builtin_fabs(b)),
                                  __builtin_fmax(__builtin_fabs(c), __builtin_fabs(d)));
  if (__builtin_isinf(largest) || largest == 0) return largest;
  const double factor = largest > 1e150 ? 0x1p-600 : largest < 1e-150 ? 0x1p600 : 1;
  a *= factor, b *= factor, c *= factor, d *= factor;
  return __builtin_sqrt(a * a + b * b + c * c + d * d) / factor;
}
GPULAB_INTRINSIC double norm3d(double a, double b, double c) { return gpulab_norm(a, b, c, 0); }
GPULAB_INTRINSIC double norm4d(double a, double b, double c, double d) { return gpulab_norm(a, b, c, d); }
GPULAB_INTRINSIC double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
GPULAB_INTRINSIC double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
GPULAB_INTRINSIC double rhypot(double a, double b) { return 1 / gpulab_norm(a, b, 0, 0); }
GPULAB_INTRINSIC float norm3df(float a, float b, float c) { return float(norm3d(a, b, c)); }
GPULAB_INTRINSIC float norm4df(float a, float b, float c, float d) { return float(norm4d(a, b, c, d)); }
GPULAB_INTRINSIC float rnorm3df(float a, float b, float c) { return float(rnorm3d(a, b, c)); }
GPULAB_INTRINSIC float rnorm4df(float a, float b, float c, float d) { return float(rnorm4d(a, b, c, d)); }
GPULAB_INTRINSIC float rhypotf(float a, float b) { return float(rhypot(a, b)); }
GPULAB_INTRINSIC float rhypot(float a, float b) { return rhypotf(a, b); }
#define GPULAB_NORMS(type, name, result)                              \
  GPULAB_INTRINSIC type name(int count, const type* values) {         \
    double norm = 0;                                                  \
    for (int i = 0; i < count; ++i) norm = gpulab_norm(norm, double(values[i]), 0, 0); \
    return type(result);                                              \
  }
GPULAB_NORMS(double, norm, norm) GPULAB_NORMS(float, normf, norm)
GPULAB_NORMS(double, rnorm, 1 / norm) GPULAB_NORMS(float, rnormf, 1 / norm)
#undef GPULAB_NORMS
