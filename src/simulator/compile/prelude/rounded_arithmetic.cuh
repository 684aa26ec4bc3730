// For: __*_rn __*_rz __*_ru __*_rd include_cuda_fp16_h include_cuda_bf16_h
// Arithmetic with the rounding that its name says: to nearest, towards zero, up, down. The processor's rounding mode
// is changed for one operation. An empty asm statement "launders" a value: the compiler then cannot compute with it at
// compile time, or move its use out of the code that runs with the changed mode.
#if defined(__x86_64__)
#define GPULAB_REGISTER "+x"
#define GPULAB_READ_MODE(mode) asm volatile("stmxcsr %0" : "=m"(mode))
#define GPULAB_WRITE_MODE(mode) asm volatile("ldmxcsr %0" : : "m"(mode) : "memory")
constexpr unsigned gpulab_mode_bits = 0x6000, gpulab_rd = 0x2000, gpulab_ru = 0x4000, gpulab_rz = 0x6000;
typedef unsigned gpulab_mode;
#else
#define GPULAB_REGISTER "+w"
#define GPULAB_READ_MODE(mode) asm volatile("mrs %0, fpcr" : "=r"(mode))
#define GPULAB_WRITE_MODE(mode) asm volatile("msr fpcr, %0" : : "r"(mode) : "memory")
constexpr unsigned long gpulab_mode_bits = 3ul << 22, gpulab_ru = 1ul << 22, gpulab_rd = 2ul << 22;
constexpr unsigned long gpulab_rz = 3ul << 22;
typedef unsigned long gpulab_mode;
#endif
#define GPULAB_IN_MODE(type, mode, launder, expression)                       \
  gpulab_mode mode_before, mode_during;                                       \
  GPULAB_READ_MODE(mode_before);                                              \
  mode_during = (mode_before & ~gpulab_mode_bits) | mode;                     \
  GPULAB_WRITE_MODE(mode_during);                                             \
  launder;                                                                    \
  type result = expression;                                                   \
  asm volatile("" : GPULAB_REGISTER(result));                                 \
  GPULAB_WRITE_MODE(mode_before);                                             \
  return result;
#define GPULAB_LAUNDER(x) asm volatile("" : GPULAB_REGISTER(x))
#define GPULAB_LAUNDER_INTEGER(x) asm volatile("" : "+r"(x))
#define GPULAB_MODES_1(type, name, call)                                                                  \
  GPULAB_INTRINSIC type name##_rn(type x) { return call(x); }                                             \
  GPULAB_INTRINSIC type name##_rz(type x) { GPULAB_IN_MODE(type, gpulab_rz, GPULAB_LAUNDER(x), call(x)) } \
  GPULAB_INTRINSIC type name##_ru(type x) { GPULAB_IN_MODE(type, gpulab_ru, GPULAB_LAUNDER(x), call(x)) } \
  GPULAB_INTRINSIC type name##_rd(type x) { GPULAB_IN_MODE(type, gpulab_rd, GPULAB_LAUNDER(x), call(x)) }
#define GPULAB_MODE_2(type, name, mode, operation)                                                        \
  GPULAB_INTRINSIC type name##_##mode(type x, type y) {                                                   \
    GPULAB_IN_MODE(type, gpulab_##mode, GPULAB_LAUNDER(x); GPULAB_LAUNDER(y), x operation y)              \
  }
#define GPULAB_MODES_2(type, name, operation)                                                             \
  GPULAB_INTRINSIC type name##_rn(type x, type y) { return x operation y; }                               \
  GPULAB_MODE_2(type, name, rz, operation) GPULAB_MODE_2(type, name, ru, operation)                       \
  GPULAB_MODE_2(type, name, rd, operation)
#define GPULAB_MODE_3(type, name, mode, call)                                                             \
  GPULAB_INTRINSIC type name##_##mode(type x, type y, type z) {                                           \
    GPULAB_IN_MODE(type, gpulab_##mode, GPULAB_LAUNDER(x); GPULAB_LAUNDER(y); GPULAB_LAUNDER(z), call(x, y, z)) \
  }
#define GPULAB_MODES_3(type, name, call)                                                                  \
  GPULAB_INTRINSIC type name##_rn(type x, type y, type z) { return call(x, y, z); }                       \
  GPULAB_MODE_3(type, name, rz, call) GPULAB_MODE_3(type, name, ru, call) GPULAB_MODE_3(type, name, rd, call)
GPULAB_MODES_2(float, __fadd, +) GPULAB_MODES_2(float, __fsub, -) GPULAB_MODES_2(float, __fmul, *)
GPULAB_MODES_2(float, __fdiv, /) GPULAB_MODES_2(double, __dadd, +) GPULAB_MODES_2(double, __dsub, -)
GPULAB_MODES_2(double, __dmul, *) GPULAB_MODES_2(double, __ddiv, /)
#define GPULAB_RECIPROCAL(x) (1 / x)
GPULAB_MODES_1(float, __frcp, GPULAB_RECIPROCAL) GPULAB_MODES_1(double, __drcp, GPULAB_RECIPROCAL)
GPULAB_MODES_1(float, __fsqrt, __builtin_sqrtf) GPULAB_MODES_1(double, __dsqrt, __builtin_sqrt)
GPULAB_MODES_3(float, __fmaf, __builtin_fmaf) GPULAB_MODES_3(double, __fma, __builtin_fma)
// Correctly rounded: the square root in double has more than twice the digits.
GPULAB_INTRINSIC float __frsqrt_rn(float x) { return float(1 / __builtin_sqrt(double(x))); }
// Conversions of integers, and of double to float.
#define GPULAB_CONVERSION(to, from, name, mode, launder)                                                  \
  GPULAB_INTRINSIC to name##_##mode(from x) { GPULAB_IN_MODE(to, gpulab_##mode, launder(x), (to)x) }
#define GPULAB_CONVERSIONS(to, from, name, launder)                                                       \
  GPULAB_INTRINSIC to name##_rn(from x) { return (to)x; }                                                 \
  GPULAB_CONVERSION(to, from, name, rz, launder) GPULAB_CONVERSION(to, from, name, ru, launder)           \
  GPULAB_CONVERSION(to, from, name, rd, launder)
GPULAB_CONVERSIONS(float, double, __double2float, GPULAB_LAUNDER)
GPULAB_CONVERSIONS(float, int, __int2float, GPULAB_LAUNDER_INTEGER)
GPULAB_CONVERSIONS(float, unsigned, __uint2float, GPULAB_LAUNDER_INTEGER)
GPULAB_CONVERSIONS(float, long long, __ll2float, GPULAB_LAUNDER_INTEGER)
GPULAB_CONVERSIONS(float, unsigned long long, __ull2float, GPULAB_LAUNDER_INTEGER)
GPULAB_CONVERSIONS(double, long long, __ll2double, GPULAB_LAUNDER_INTEGER)
GPULAB_CONVERSIONS(double, unsigned long long, __ull2double, GPULAB_LAUNDER_INTEGER)
GPULAB_INTRINSIC double __int2double_rn(int x) { return x; }
GPULAB_INTRINSIC double __uint2double_rn(unsigned x) { return x; }
#undef GPULAB_CONVERSIONS
#undef GPULAB_CONVERSION
#undef GPULAB_RECIPROCAL
#undef GPULAB_MODES_3
#undef GPULAB_MODE_3
#undef GPULAB_MODES_2
#undef GPULAB_MODE_2
#undef GPULAB_MODES_1
