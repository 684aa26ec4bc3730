// For: __v*2 __v*4
// SIMD within a word: n lanes, two of 16 bits or four of 8 bits, of a signed type S or an unsigned type U. In an
// expression, x and y are lanes, as int so that nothing overflows; low and high are the limits of a lane's type.
#define GPULAB_LANES(name, lanes, type, expression)                                    \
  GPULAB_INTRINSIC unsigned name(unsigned a, unsigned b) {                             \
    unsigned result = 0;                                                               \
    for (int i = 0; i < lanes; ++i) {                                                  \
      const int x = (type)(a >> 32 / lanes * i), y = (type)(b >> 32 / lanes * i);          \
      const int low = (type)-1 < 0 ? -(1 << (32 / lanes - 1)) : 0;                     \
      const int high = (type)-1 < 0 ? (1 << (32 / lanes - 1)) - 1 : int((type)-1);     \
      const int value = (expression);                                                  \
      result |= (unsigned(value) & (0xffffffffu >> (32 - 32 / lanes))) << 32 / lanes * i; \
      (void)x, (void)y, (void)low, (void)high;                                         \
    }                                                                                  \
    return result;                                                                     \
  }
#define GPULAB_SUM_OF_LANES(name, lanes, type)                                         \
  GPULAB_INTRINSIC unsigned name(unsigned a, unsigned b) {                             \
    unsigned sum = 0;                                                                  \
    for (int i = 0; i < lanes; ++i) {                                                  \
      const int x = (type)(a >> 32 / lanes * i), y = (type)(b >> 32 / lanes * i);          \
      sum += unsigned(x < y ? y - x : x - y);                                          \
    }                                                                                  \
    return sum;                                                                        \
  }
#define GPULAB_WITHIN(value) ((value) < low ? low : (value) > high ? high : (value))
#define GPULAB_COMPARE(name, n, S, U, operation)                                       \
  GPULAB_LANES(__vcmp##name##n, n, S, x operation y ? -1 : 0)                          \
  GPULAB_LANES(__vset##name##n, n, S, x operation y)
#define GPULAB_SIMD(n, S, U)                                                           \
  GPULAB_LANES(__vadd##n, n, U, x + y)                                                 \
  GPULAB_LANES(__vaddss##n, n, S, GPULAB_WITHIN(x + y))                                \
  GPULAB_LANES(__vaddus##n, n, U, GPULAB_WITHIN(x + y))                                \
  GPULAB_LANES(__vsub##n, n, U, x - y)                                                 \
  GPULAB_LANES(__vsubss##n, n, S, GPULAB_WITHIN(x - y))                                \
  GPULAB_LANES(__vsubus##n, n, U, GPULAB_WITHIN(x - y))                                \
  GPULAB_LANES(__vavgs##n, n, S, (x + y + (x + y >= 0)) >> 1)                          \
  GPULAB_LANES(__vavgu##n, n, U, (x + y + 1) >> 1)                                     \
  GPULAB_LANES(__vhaddu##n, n, U, (x + y) >> 1)                                        \
  GPULAB_LANES(__vmaxs##n, n, S, x > y ? x : y)                                        \
  GPULAB_LANES(__vmaxu##n, n, U, x > y ? x : y)                                        \
  GPULAB_LANES(__vmins##n, n, S, x < y ? x : y)                                        \
  GPULAB_LANES(__vminu##n, n, U, x < y ? x : y)                                        \
  GPULAB_LANES(__vabsdiffs##n, n, S, x < y ? y - x : x - y)                            \
  GPULAB_LANES(__vabsdiffu##n, n, U, x < y ? y - x : x - y)                            \
  GPULAB_COMPARE(eq, n, U, U, ==) GPULAB_COMPARE(ne, n, U, U, !=)                      \
  GPULAB_COMPARE(ges, n, S, U, >=) GPULAB_COMPARE(geu, n, U, U, >=)                    \
  GPULAB_COMPARE(gts, n, S, U, >) GPULAB_COMPARE(gtu, n, U, U, >)                      \
  GPULAB_COMPARE(les, n, S, U, <=) GPULAB_COMPARE(leu, n, U, U, <=)                    \
  GPULAB_COMPARE(lts, n, S, U, <) GPULAB_COMPARE(ltu, n, U, U, <)                      \
  GPULAB_SUM_OF_LANES(__vsads##n, n, S)                                                \
  GPULAB_SUM_OF_LANES(__vsadu##n, n, U)                                                \
  GPULAB_LANES(gpulab_vabs##n, n, S, x < 0 ? -x : x)                                   \
  GPULAB_LANES(gpulab_vabsss##n, n, S, GPULAB_WITHIN(x < 0 ? -x : x))                  \
  GPULAB_INTRINSIC unsigned __vabs##n(unsigned a) { return gpulab_vabs##n(a, 0); }     \
  GPULAB_INTRINSIC unsigned __vabsss##n(unsigned a) { return gpulab_vabsss##n(a, 0); } \
  GPULAB_INTRINSIC unsigned __vneg##n(unsigned a) { return __vsub##n(0, a); }          \
  GPULAB_INTRINSIC unsigned __vnegss##n(unsigned a) { return __vsubss##n(0, a); }
GPULAB_SIMD(2, short, unsigned short)
GPULAB_SIMD(4, signed char, unsigned char)
#undef GPULAB_SIMD
#undef GPULAB_COMPARE
#undef GPULAB_WITHIN
#undef GPULAB_SUM_OF_LANES
#undef GPULAB_LANES
