// For: sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh fabs floor ceil round
// For: trunc rint pow atan2 fmod hypot fmin fmax copysign
// Mathematical functions of integers, which C++ computes in double: floor(n / 2), pow(2, n).
template <class T> struct gpulab_integer {};
template <> struct gpulab_integer<char> { typedef double type; };
template <> struct gpulab_integer<signed char> { typedef double type; };
template <> struct gpulab_integer<unsigned char> { typedef double type; };
template <> struct gpulab_integer<short> { typedef double type; };
template <> struct gpulab_integer<unsigned short> { typedef double type; };
template <> struct gpulab_integer<int> { typedef double type; };
template <> struct gpulab_integer<unsigned> { typedef double type; };
template <> struct gpulab_integer<long> { typedef double type; };
template <> struct gpulab_integer<unsigned long> { typedef double type; };
template <> struct gpulab_integer<long long> { typedef double type; };
template <> struct gpulab_integer<unsigned long long> { typedef double type; };
// Pairs of types that C++ computes in double: an integer with any number, and float with double.
template <class T, class U> struct gpulab_mixed {};
#define GPULAB_MIXED(T) \
  template <> struct gpulab_mixed<T, float> { typedef double type; }; \
  template <> struct gpulab_mixed<float, T> { typedef double type; }; \
  template <> struct gpulab_mixed<T, double> { typedef double type; }; \
  template <> struct gpulab_mixed<double, T> { typedef double type; }; \
  template <> struct gpulab_mixed<T, int> { typedef double type; };
GPULAB_MIXED(int)
#define GPULAB_MIXED_WITH_INT(T) GPULAB_MIXED(T) template <> struct gpulab_mixed<int, T> { typedef double type; };
GPULAB_MIXED_WITH_INT(unsigned)
GPULAB_MIXED_WITH_INT(long)
GPULAB_MIXED_WITH_INT(unsigned long)
GPULAB_MIXED_WITH_INT(long long)
GPULAB_MIXED_WITH_INT(unsigned long long)
template <> struct gpulab_mixed<float, double> { typedef double type; };
template <> struct gpulab_mixed<double, float> { typedef double type; };
#undef GPULAB_MIXED
#undef GPULAB_MIXED_WITH_INT
#define GPULAB_OF_INTEGER(name) \
  template <class T> \
  __host__ __device__ inline typename gpulab_integer<T>::type name(T x) { return name(double(x)); }
GPULAB_OF_INTEGER(sqrt) GPULAB_OF_INTEGER(cbrt) GPULAB_OF_INTEGER(exp) GPULAB_OF_INTEGER(exp2)
GPULAB_OF_INTEGER(expm1) GPULAB_OF_INTEGER(log) GPULAB_OF_INTEGER(log2) GPULAB_OF_INTEGER(log10)
GPULAB_OF_INTEGER(log1p) GPULAB_OF_INTEGER(sin) GPULAB_OF_INTEGER(cos) GPULAB_OF_INTEGER(tan)
GPULAB_OF_INTEGER(asin) GPULAB_OF_INTEGER(acos) GPULAB_OF_INTEGER(atan) GPULAB_OF_INTEGER(sinh)
GPULAB_OF_INTEGER(cosh) GPULAB_OF_INTEGER(tanh) GPULAB_OF_INTEGER(fabs) GPULAB_OF_INTEGER(floor)
GPULAB_OF_INTEGER(ceil) GPULAB_OF_INTEGER(round) GPULAB_OF_INTEGER(trunc) GPULAB_OF_INTEGER(rint)
#undef GPULAB_OF_INTEGER
#define GPULAB_OF_TWO(name) \
  template <class T, class U> \
  __host__ __device__ inline typename gpulab_mixed<T, U>::type name(T x, U y) { \
    return name(double(x), double(y)); \
  }
GPULAB_OF_TWO(pow) GPULAB_OF_TWO(atan2) GPULAB_OF_TWO(fmod) GPULAB_OF_TWO(hypot) GPULAB_OF_TWO(fmin)
GPULAB_OF_TWO(fmax) GPULAB_OF_TWO(copysign)
#undef GPULAB_OF_TWO
