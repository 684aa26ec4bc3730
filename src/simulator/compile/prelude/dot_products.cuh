// For: __dp*
// Dot products of four bytes, or of two 16-bit numbers and two bytes, added to c.
#define GPULAB_DOT(type, a_type, b_type)                                                               \
  GPULAB_INTRINSIC type __dp4a(type a, type b, type c) {                                                  \
    for (int i = 0; i < 4; ++i) c += (type)(b_type)(a >> 8 * i) * (type)(b_type)(b >> 8 * i);                 \
    return c;                                                                                             \
  }                                                                                                       \
  GPULAB_INTRINSIC type __dp2a_lo(type a, type b, type c) {                                               \
    return c + (type)(a_type)a * (type)(b_type)b + (type)(a_type)(a >> 16) * (type)(b_type)(b >> 8);          \
  }                                                                                                       \
  GPULAB_INTRINSIC type __dp2a_hi(type a, type b, type c) { return __dp2a_lo(a, type(b >> 16), c); }
GPULAB_DOT(int, short, signed char)
GPULAB_DOT(unsigned, unsigned short, unsigned char)
#undef GPULAB_DOT
// The same for vector types.
template <class T, class Vector>
GPULAB_INTRINSIC T gpulab_word_of(Vector vector) {
  T word;
  __builtin_memcpy(&word, &vector, sizeof word);
  return word;
}
#define GPULAB_DOT_OF_VECTORS(type, halves, bytes)                              \
  GPULAB_INTRINSIC type __dp4a(bytes a, bytes b, type c) {                      \
    return __dp4a(gpulab_word_of<type>(a), gpulab_word_of<type>(b), c);         \
  }                                                                             \
  GPULAB_INTRINSIC type __dp2a_lo(halves a, bytes b, type c) {                  \
    return __dp2a_lo(gpulab_word_of<type>(a), gpulab_word_of<type>(b), c);      \
  }                                                                             \
  GPULAB_INTRINSIC type __dp2a_hi(halves a, bytes b, type c) {                  \
    return __dp2a_hi(gpulab_word_of<type>(a), gpulab_word_of<type>(b), c);      \
  }
GPULAB_DOT_OF_VECTORS(int, short2, char4)
GPULAB_DOT_OF_VECTORS(unsigned, ushort2, uchar4)
#undef GPULAB_DOT_OF_VECTORS
