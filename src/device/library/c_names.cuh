// Names of the C library, one on each line. A file gets the lines of the names that it uses and does not define.
typedef signed char int8_t;
namespace std { typedef signed char int8_t; }
typedef unsigned char uint8_t;
namespace std { typedef unsigned char uint8_t; }
typedef short int16_t;
namespace std { typedef short int16_t; }
typedef unsigned short uint16_t;
namespace std { typedef unsigned short uint16_t; }
typedef int int32_t;
namespace std { typedef int int32_t; }
typedef unsigned int uint32_t;
namespace std { typedef unsigned int uint32_t; }
typedef long int64_t;
namespace std { typedef long int64_t; }
typedef unsigned long uint64_t;
namespace std { typedef unsigned long uint64_t; }
typedef signed char int_least8_t;
namespace std { typedef signed char int_least8_t; }
typedef unsigned char uint_least8_t;
namespace std { typedef unsigned char uint_least8_t; }
typedef short int_least16_t;
namespace std { typedef short int_least16_t; }
typedef unsigned short uint_least16_t;
namespace std { typedef unsigned short uint_least16_t; }
typedef int int_least32_t;
namespace std { typedef int int_least32_t; }
typedef unsigned int uint_least32_t;
namespace std { typedef unsigned int uint_least32_t; }
typedef long int_least64_t;
namespace std { typedef long int_least64_t; }
typedef unsigned long uint_least64_t;
namespace std { typedef unsigned long uint_least64_t; }
typedef signed char int_fast8_t;
namespace std { typedef signed char int_fast8_t; }
typedef unsigned char uint_fast8_t;
namespace std { typedef unsigned char uint_fast8_t; }
typedef long int_fast16_t;
namespace std { typedef long int_fast16_t; }
typedef unsigned long uint_fast16_t;
namespace std { typedef unsigned long uint_fast16_t; }
typedef long int_fast32_t;
namespace std { typedef long int_fast32_t; }
typedef unsigned long uint_fast32_t;
namespace std { typedef unsigned long uint_fast32_t; }
typedef long int_fast64_t;
namespace std { typedef long int_fast64_t; }
typedef unsigned long uint_fast64_t;
namespace std { typedef unsigned long uint_fast64_t; }
typedef long intmax_t;
namespace std { typedef long intmax_t; }
typedef unsigned long uintmax_t;
namespace std { typedef unsigned long uintmax_t; }
typedef long intptr_t;
namespace std { typedef long intptr_t; }
typedef unsigned long uintptr_t;
namespace std { typedef unsigned long uintptr_t; }
typedef long ssize_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
namespace std { typedef decltype(sizeof(0)) size_t; }
namespace std { typedef long ptrdiff_t; }
namespace std { typedef decltype(nullptr) nullptr_t; }
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807l - 1)
#define INT64_MAX 9223372036854775807l
#define UINT64_MAX 18446744073709551615ul
#define SIZE_MAX 18446744073709551615ul
#define PTRDIFF_MAX 9223372036854775807l
#define PTRDIFF_MIN (-9223372036854775807l - 1)
#define INTPTR_MAX 9223372036854775807l
#define UINTPTR_MAX 18446744073709551615ul
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MAX 3.40282346638528859811704183484516925e+38f
#define FLT_MIN 1.17549435082228750796873653722224568e-38f
#define FLT_EPSILON 1.19209289550781250000000000000000000e-7f
#define FLT_TRUE_MIN 1.40129846432481707092372958328991613e-45f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MAX_EXP 1024
#define DBL_MIN_EXP (-1021)
#define DBL_MAX 1.79769313486231570814527423731704357e+308
#define DBL_MIN 2.22507385850720138309023271733240406e-308
#define DBL_EPSILON 2.22044604925031308084726333618164062e-16
#define DBL_TRUE_MIN 4.94065645841246544176568792868221372e-324
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
#define HUGE_VALF (__int_as_float(0x7f800000))
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000ll))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_MIN_DENORM_F __int_as_float(0x00000001)
#define CUDART_MAX_NORMAL_F __int_as_float(0x7f7fffff)
#define CUDART_NEG_ZERO_F __int_as_float((int)0x80000000)
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_SQRT_HALF_HI_F 0.707106781f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_THIRD_F 0.333333333f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_PIO2_F 1.570796327f
#define CUDART_3PIO4_F 2.356194490f
#define CUDART_2_OVER_PI_F 0.636619772f
#define CUDART_SQRT_2_OVER_PI_F 0.797884561f
#define CUDART_PI_F 3.141592654f
#define CUDART_L2E_F 1.442695041f
#define CUDART_L2T_F 3.321928094f
#define CUDART_LG2_F 0.301029996f
#define CUDART_LGE_F 0.434294482f
#define CUDART_LN2_F 0.693147181f
#define CUDART_LNT_F 2.302585093f
#define CUDART_LNPI_F 1.144729886f
#define CUDART_TWO_TO_23_F 8388608.0f
#define CUDART_TWO_TO_24_F 16777216.0f
#define CUDART_TWO_TO_31_F 2147483648.0f
#define CUDART_TWO_TO_32_F 4294967296.0f
#define CUDART_INF __longlong_as_double(0x7ff0000000000000ll)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000ull)
#define CUDART_NEG_ZERO __longlong_as_double(0x8000000000000000ull)
#define CUDART_MIN_DENORM __longlong_as_double(0x0000000000000001ull)
#define CUDART_ZERO 0.0
#define CUDART_ONE 1.0
#define CUDART_SQRT_TWO 1.4142135623730951e+0
#define CUDART_SQRT_HALF 7.0710678118654757e-1
#define CUDART_THIRD 3.3333333333333333e-1
#define CUDART_TWOTHIRD 6.6666666666666667e-1
#define CUDART_PIO4 7.8539816339744828e-1
#define CUDART_PIO2 1.5707963267948966e+0
#define CUDART_3PIO4 2.3561944901923448e+0
#define CUDART_2_OVER_PI 6.3661977236758138e-1
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_SQRT_2PI 2.5066282746310007e+0
#define CUDART_L2E 1.4426950408889634e+0
#define CUDART_L2T 3.3219280948873622e+0
#define CUDART_LG2 3.0102999566398120e-1
#define CUDART_LGE 4.3429448190325182e-1
#define CUDART_LN2 6.9314718055994529e-1
#define CUDART_LNT 2.3025850929940459e+0
#define CUDART_LNPI 1.1447298858494002e+0
#define CUDART_SQRT_HALF_LO_F 1.210161749e-08f
#define CUDART_TWO_TO_M126_F 1.175494351e-38f
#define CUDART_TWO_TO_126_F 8.507059173e37f
#define CUDART_NORM_HUGE_F 3.402823466e38f
#define CUDART_REMQUO_BITS_F 3u
#define CUDART_REMQUO_MASK_F (~((~0u)<<CUDART_REMQUO_BITS_F))
#define CUDART_TRIG_PLOSS_F 105615.0f
#define CUDART_SQRT_HALF_HI 7.0710678118654757e-1
#define CUDART_SQRT_HALF_LO (-4.8336466567264567e-17)
#define CUDART_PIO4_HI 7.8539816339744828e-1
#define CUDART_PIO4_LO 3.0616169978683830e-17
#define CUDART_PIO2_HI 1.5707963267948966e+0
#define CUDART_PIO2_LO 6.1232339957367660e-17
#define CUDART_PI_HI 3.1415926535897931e+0
#define CUDART_PI_LO 1.2246467991473532e-16
#define CUDART_SQRT_2PI_HI 2.5066282746310007e+0
#define CUDART_SQRT_2PI_LO (-1.8328579980459167e-16)
#define CUDART_SQRT_PIO2 1.2533141373155003e+0
#define CUDART_SQRT_PIO2_HI 1.2533141373155003e+0
#define CUDART_SQRT_PIO2_LO (-9.1642899902295834e-17)
#define CUDART_SQRT_2OPI 7.9788456080286536e-1
#define CUDART_L2E_HI 1.4426950408889634e+0
#define CUDART_L2E_LO 2.0355273740931033e-17
#define CUDART_LG2_HI 3.0102999566398120e-1
#define CUDART_LG2_LO (-2.8037281277851704e-18)
#define CUDART_LGE_HI 4.3429448190325182e-1
#define CUDART_LGE_LO 1.09831965021676510e-17
#define CUDART_LN2_HI 6.9314718055994529e-1
#define CUDART_LN2_LO 2.3190468138462996e-17
#define CUDART_LNT_HI 2.3025850929940459e+0
#define CUDART_LNT_LO (-2.1707562233822494e-16)
#define CUDART_LN2_X_1024 7.0978271289338397e+2
#define CUDART_LN2_X_1025 7.1047586007394398e+2
#define CUDART_LN2_X_1075 7.4513321910194122e+2
#define CUDART_LG2_X_1024 3.0825471555991675e+2
#define CUDART_LG2_X_1075 3.2360724533877976e+2
#define CUDART_TWO_TO_23 8388608.0
#define CUDART_TWO_TO_52 4503599627370496.0
#define CUDART_TWO_TO_53 9007199254740992.0
#define CUDART_TWO_TO_54 18014398509481984.0
#define CUDART_TWO_TO_M54 5.5511151231257827e-17
#define CUDART_TWO_TO_M1022 2.22507385850720140e-308
#define CUDART_TRIG_PLOSS 2147483648.0
#define CUDART_DBL2INT_CVT 6755399441055744.0
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
namespace std { using ::sqrt; }
namespace std { using ::cbrt; }
namespace std { using ::exp; }
namespace std { using ::exp2; }
namespace std { using ::expm1; }
namespace std { using ::log; }
namespace std { using ::log2; }
namespace std { using ::log10; }
namespace std { using ::log1p; }
namespace std { using ::sin; }
namespace std { using ::cos; }
namespace std { using ::tan; }
namespace std { using ::asin; }
namespace std { using ::acos; }
namespace std { using ::atan; }
namespace std { using ::sinh; }
namespace std { using ::cosh; }
namespace std { using ::tanh; }
namespace std { using ::asinh; }
namespace std { using ::acosh; }
namespace std { using ::atanh; }
namespace std { using ::fabs; }
namespace std { using ::floor; }
namespace std { using ::ceil; }
namespace std { using ::round; }
namespace std { using ::trunc; }
namespace std { using ::rint; }
namespace std { using ::nearbyint; }
namespace std { using ::erf; }
namespace std { using ::erfc; }
namespace std { using ::tgamma; }
namespace std { using ::lgamma; }
namespace std { using ::pow; }
namespace std { using ::atan2; }
namespace std { using ::fmod; }
namespace std { using ::hypot; }
namespace std { using ::fmin; }
namespace std { using ::fmax; }
namespace std { using ::copysign; }
namespace std { using ::fdim; }
namespace std { using ::fma; }
namespace std { using ::remainder; }
namespace std { using ::remquo; }
namespace std { using ::nextafter; }
namespace std { using ::ldexp; }
namespace std { using ::frexp; }
namespace std { using ::modf; }
namespace std { using ::scalbn; }
namespace std { using ::scalbln; }
namespace std { using ::logb; }
namespace std { using ::ilogb; }
namespace std { using ::lrint; }
namespace std { using ::llrint; }
namespace std { using ::lround; }
namespace std { using ::llround; }
namespace std { using ::isnan; }
namespace std { using ::isinf; }
namespace std { using ::isfinite; }
namespace std { using ::signbit; }
namespace std { using ::abs; }
namespace std { using ::labs; }
namespace std { using ::llabs; }
namespace std { using ::sqrtf; }
namespace std { using ::cbrtf; }
namespace std { using ::expf; }
namespace std { using ::exp2f; }
namespace std { using ::expm1f; }
namespace std { using ::logf; }
namespace std { using ::log2f; }
namespace std { using ::log10f; }
namespace std { using ::log1pf; }
namespace std { using ::sinf; }
namespace std { using ::cosf; }
namespace std { using ::tanf; }
namespace std { using ::asinf; }
namespace std { using ::acosf; }
namespace std { using ::atanf; }
namespace std { using ::sinhf; }
namespace std { using ::coshf; }
namespace std { using ::tanhf; }
namespace std { using ::asinhf; }
namespace std { using ::acoshf; }
namespace std { using ::atanhf; }
namespace std { using ::fabsf; }
namespace std { using ::floorf; }
namespace std { using ::ceilf; }
namespace std { using ::roundf; }
namespace std { using ::truncf; }
namespace std { using ::rintf; }
namespace std { using ::powf; }
namespace std { using ::atan2f; }
namespace std { using ::fmodf; }
namespace std { using ::hypotf; }
namespace std { using ::fminf; }
namespace std { using ::fmaxf; }
namespace std { using ::copysignf; }
namespace std { using ::fdimf; }
namespace std { using ::fmaf; }
namespace std { using ::erff; }
namespace std { using ::erfcf; }
namespace std { using ::printf; }
namespace std { using ::memcpy; }
namespace std { using ::memset; }
