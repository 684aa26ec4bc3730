// For: min max swap clamp numeric_limits is_same is_same_v enable_if enable_if_t conditional conditional_t is_*
// For: true_type false_type integral_constant remove_* decay* add_* make_unsigned* make_signed* plus minus multiplies
// For: less greater
// The commonly used parts of <algorithm>, <limits>, <type_traits> and <utility>.
namespace std {
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
template <class T> __host__ __device__ constexpr void swap(T& a, T& b) {
  T old = a;
  a = b;
  b = old;
}
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  __host__ __device__ constexpr operator T() const { return v; }
  __host__ __device__ constexpr T operator()() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool c, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool c, class T, class F> using conditional_t = typename conditional<c, T, F>::type;
template <bool c, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool c, class T = void> using enable_if_t = typename enable_if<c, T>::type;
template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T*> { typedef T type; };
template <class T> struct decay { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type* type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> struct gpulab_number {
  static constexpr bool is_number = false, is_integer = false, has_sign = false;
};
template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define GPULAB_INTEGER(T, signed_or_not, low, high, bits, u, s) \
  template <> struct gpulab_number<T> { \
    static constexpr bool is_number = true, is_integer = true, has_sign = signed_or_not; \
    typedef u with_no_sign; \
    typedef s with_sign; \
  }; \
  template <> struct numeric_limits<T> { \
    static constexpr bool is_specialized = true, is_signed = signed_or_not, is_integer = true, is_exact = true; \
    static constexpr bool has_infinity = false, has_quiet_NaN = false; \
    static constexpr int digits = bits, radix = 2, digits10 = bits * 30103 / 100000; \
    __host__ __device__ static constexpr T min() { return low; } \
    __host__ __device__ static constexpr T lowest() { return low; } \
    __host__ __device__ static constexpr T max() { return high; } \
    __host__ __device__ static constexpr T epsilon() { return 0; } \
  };
GPULAB_INTEGER(bool, false, false, true, 1, bool, bool)
GPULAB_INTEGER(char, true, -128, 127, 7, unsigned char, signed char)
GPULAB_INTEGER(signed char, true, -128, 127, 7, unsigned char, signed char)
GPULAB_INTEGER(unsigned char, false, 0, 255, 8, unsigned char, signed char)
GPULAB_INTEGER(short, true, -32768, 32767, 15, unsigned short, short)
GPULAB_INTEGER(unsigned short, false, 0, 65535, 16, unsigned short, short)
GPULAB_INTEGER(int, true, -2147483647 - 1, 2147483647, 31, unsigned, int)
GPULAB_INTEGER(unsigned, false, 0, 4294967295u, 32, unsigned, int)
GPULAB_INTEGER(long, true, -9223372036854775807l - 1, 9223372036854775807l, 63, unsigned long, long)
GPULAB_INTEGER(unsigned long, false, 0, 18446744073709551615ul, 64, unsigned long, long)
GPULAB_INTEGER(long long, true, -9223372036854775807ll - 1, 9223372036854775807ll, 63, unsigned long long, long long)
GPULAB_INTEGER(unsigned long long, false, 0, 18446744073709551615ull, 64, unsigned long long, long long)
#undef GPULAB_INTEGER
#define GPULAB_FLOATING(T, smallest, largest, gap, denormal, mantissa, decimals, max_exp, inf, nan) \
  template <> struct gpulab_number<T> { \
    static constexpr bool is_number = true, is_integer = false, has_sign = true; \
  }; \
  template <> struct numeric_limits<T> { \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false; \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true; \
    static constexpr int digits = mantissa, radix = 2, digits10 = decimals, max_exponent = max_exp; \
    __host__ __device__ static constexpr T min() { return smallest; } \
    __host__ __device__ static constexpr T lowest() { return -largest; } \
    __host__ __device__ static constexpr T max() { return largest; } \
    __host__ __device__ static constexpr T epsilon() { return gap; } \
    __host__ __device__ static constexpr T denorm_min() { return denormal; } \
    __host__ __device__ static GPULAB_BUILTIN_CONSTEXPR T infinity() { return inf; } \
    __host__ __device__ static GPULAB_BUILTIN_CONSTEXPR T quiet_NaN() { return nan; } \
  };
#ifdef GPULAB_SIMULATED
#define GPULAB_BUILTIN_CONSTEXPR constexpr
GPULAB_FLOATING(float, 1.17549435e-38f, 3.40282347e+38f, 1.1920929e-7f, 1.40129846e-45f, 24, 6, 128,
                __builtin_inff(), __builtin_nanf(""))
GPULAB_FLOATING(double, 2.2250738585072014e-308, 1.7976931348623157e+308, 2.2204460492503131e-16,
                4.9406564584124654e-324, 53, 15, 1024, __builtin_inf(), __builtin_nan(""))
#else
#define GPULAB_BUILTIN_CONSTEXPR
GPULAB_FLOATING(float, 1.17549435e-38f, 3.40282347e+38f, 1.1920929e-7f, 1.40129846e-45f, 24, 6, 128,
                __int_as_float(0x7f800000), __int_as_float(0x7fc00000))
GPULAB_FLOATING(double, 2.2250738585072014e-308, 1.7976931348623157e+308, 2.2204460492503131e-16,
                4.9406564584124654e-324, 53, 15, 1024, __longlong_as_double(0x7ff0000000000000ll),
                __longlong_as_double(0x7ff8000000000000ll))
#endif
#undef GPULAB_FLOATING
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T*> : true_type {};
template <class T> struct is_void : is_same<remove_cv_t<T>, void> {};
template <class T> struct is_arithmetic : integral_constant<bool, gpulab_number<remove_cv_t<T>>::is_number> {};
template <class T> struct is_integral : integral_constant<bool, gpulab_number<remove_cv_t<T>>::is_integer> {};
template <class T> struct is_floating_point
    : integral_constant<bool, is_arithmetic<T>::value && !is_integral<T>::value> {};
template <class T> struct is_signed : integral_constant<bool, gpulab_number<remove_cv_t<T>>::has_sign> {};
template <class T> struct is_unsigned : integral_constant<bool, is_integral<T>::value && !is_signed<T>::value> {};
template <class T> struct make_unsigned { typedef typename gpulab_number<T>::with_no_sign type; };
template <class T> struct make_signed { typedef typename gpulab_number<T>::with_sign type; };
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T> inline constexpr bool is_const_v = is_const<T>::value;
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
#define GPULAB_FUNCTION_OBJECT(name, expression) \
  template <class T = void> struct name { \
    __host__ __device__ constexpr auto operator()(const T& a, const T& b) const { return expression; } \
  };
GPULAB_FUNCTION_OBJECT(plus, a + b)
GPULAB_FUNCTION_OBJECT(minus, a - b)
GPULAB_FUNCTION_OBJECT(multiplies, a * b)
GPULAB_FUNCTION_OBJECT(less, a < b)
GPULAB_FUNCTION_OBJECT(greater, a > b)
#undef GPULAB_FUNCTION_OBJECT
}  // namespace std
