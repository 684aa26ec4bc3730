// For: include_cuComplex_h include_cublas_v2_h include_cublas_h include_cublas_api_h include_cufft_h include_cufftXt_h
// cuComplex.h: complex numbers, with quotients and magnitudes that do not overflow in intermediate results. If the
// ratio of the two parts is undefined (0, infinity), their sum is the magnitude.
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define GPULAB_COMPLEX(type, scalar, suffix, fabs_of, sqrt_of, max_finite)                                             \
  GPULAB_INTRINSIC scalar cuCreal##suffix(type x) { return x.x; }                                                     \
  GPULAB_INTRINSIC scalar cuCimag##suffix(type x) { return x.y; }                                                     \
  GPULAB_INTRINSIC type cuConj##suffix(type x) { return {x.x, -x.y}; }                                                \
  GPULAB_INTRINSIC type cuCadd##suffix(type a, type b) { return {a.x + b.x, a.y + b.y}; }                             \
  GPULAB_INTRINSIC type cuCsub##suffix(type a, type b) { return {a.x - b.x, a.y - b.y}; }                             \
  GPULAB_INTRINSIC type cuCmul##suffix(type a, type b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }     \
  GPULAB_INTRINSIC type cuCdiv##suffix(type a, type b) {                                                              \
    const scalar size = fabs_of(b.x) + fabs_of(b.y), ax = a.x / size, ay = a.y / size, bx = b.x / size, by = b.y / size; \
    const scalar square = bx * bx + by * by;                                                                          \
    return {(ax * bx + ay * by) / square, (ay * bx - ax * by) / square};                                              \
  }                                                                                                                   \
  GPULAB_INTRINSIC scalar cuCabs##suffix(type x) {                                                                    \
    const scalar a = fabs_of(x.x), b = fabs_of(x.y), larger = a > b ? a : b, smaller = a > b ? b : a;                  \
    const scalar ratio = smaller / larger, length = larger * sqrt_of(1 + ratio * ratio);                               \
    return larger == 0 || larger > max_finite || smaller > max_finite ? a + b : length;                                \
  }                                                                                                                   \
  GPULAB_INTRINSIC type cuCfma##suffix(type a, type b, type c) {                                                      \
    return {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};                                                \
  }
GPULAB_COMPLEX(cuFloatComplex, float, f, __builtin_fabsf, __builtin_sqrtf, 3.402823466e38f)
GPULAB_COMPLEX(cuDoubleComplex, double, , __builtin_fabs, __builtin_sqrt, 1.79769313486231570e308)
#undef GPULAB_COMPLEX
GPULAB_INTRINSIC cuFloatComplex make_cuFloatComplex(float x, float y) { return {x, y}; }
GPULAB_INTRINSIC cuDoubleComplex make_cuDoubleComplex(double x, double y) { return {x, y}; }
GPULAB_INTRINSIC cuComplex make_cuComplex(float x, float y) { return {x, y}; }
GPULAB_INTRINSIC cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return {float(x.x), float(x.y)}; }
GPULAB_INTRINSIC cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
