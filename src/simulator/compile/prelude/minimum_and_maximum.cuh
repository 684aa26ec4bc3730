// For: *abs *min *max fminf fmaxf fdim* include_* norm* rnorm* sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos
// For: tan asin acos atan sinh cosh tanh fabs floor ceil round trunc rint pow atan2 fmod hypot fmin fmax copysign
// Minimum, maximum and absolute value. min and max of a number and NaN return the number, as in IEEE 754.
#ifndef GPULAB_PROGRAM
GPULAB_INTRINSIC int abs(int x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC long abs(long x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC long long abs(long long x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC float abs(float x) { return __builtin_fabsf(x); }
GPULAB_INTRINSIC double abs(double x) { return __builtin_fabs(x); }
#endif
#define GPULAB_MIN_MAX(type)                                              \
  GPULAB_INTRINSIC type min(type a, type b) { return b < a ? b : a; }     \
  GPULAB_INTRINSIC type max(type a, type b) { return a < b ? b : a; }
GPULAB_MIN_MAX(int) GPULAB_MIN_MAX(unsigned) GPULAB_MIN_MAX(long) GPULAB_MIN_MAX(unsigned long)
GPULAB_MIN_MAX(long long) GPULAB_MIN_MAX(unsigned long long)
#undef GPULAB_MIN_MAX
// If one of the two is NaN (x != x), the other is returned. -0 is smaller than +0.
#define GPULAB_FLOATING(type, smaller, larger, builtin_signbit)                                          \
  GPULAB_INTRINSIC type smaller(type a, type b) {                                                        \
    return a < b || b != b ? a : b < a || a != a ? b : builtin_signbit(a) ? a : b;                       \
  }                                                                                                      \
  GPULAB_INTRINSIC type larger(type a, type b) {                                                         \
    return a > b || b != b ? a : b > a || a != a ? b : builtin_signbit(a) ? b : a;                       \
  }
GPULAB_FLOATING(float, min, max, __builtin_signbitf) GPULAB_FLOATING(double, min, max, __builtin_signbit)
#ifndef GPULAB_PROGRAM
GPULAB_FLOATING(float, fmin, fmax, __builtin_signbitf) GPULAB_FLOATING(float, fminf, fmaxf, __builtin_signbitf)
GPULAB_FLOATING(double, fmin, fmax, __builtin_signbit)
#endif
#undef GPULAB_FLOATING
// min and max of two types return the wider type or, at the same width, the unsigned one.
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
#ifndef GPULAB_PROGRAM
GPULAB_INTRINSIC long labs(long x) { return abs(x); }
GPULAB_INTRINSIC long long llabs(long long x) { return abs(x); }
#endif
GPULAB_INTRINSIC unsigned umin(unsigned a, unsigned b) { return min(a, b); }
GPULAB_INTRINSIC unsigned umax(unsigned a, unsigned b) { return max(a, b); }
GPULAB_INTRINSIC long long llmin(long long a, long long b) { return min(a, b); }
GPULAB_INTRINSIC long long llmax(long long a, long long b) { return max(a, b); }
GPULAB_INTRINSIC unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
GPULAB_INTRINSIC unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
