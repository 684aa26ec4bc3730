// For: *1 *2 *3 *4 include_* make_* __dp* cuComplex cuFloatComplex cuDoubleComplex
// Vector types: make_float4(x, y, z, w) and float4, aligned as CUDA aligns them. language.cuh has uint3.
#define GPULAB_VECTOR3(type, name)                                                                       \
  struct name##3 { type x, y, z; };                                                                      \
  GPULAB_INTRINSIC name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }
#define GPULAB_VECTORS(type, name, align2, align4)                                                       \
  struct name##1 { type x; };                                                                            \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };                                        \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                                  \
  GPULAB_INTRINSIC name##1 make_##name##1(type x) { return {x}; }                                        \
  GPULAB_INTRINSIC name##2 make_##name##2(type x, type y) { return {x, y}; }                             \
  GPULAB_INTRINSIC name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define GPULAB_VECTOR_TYPES(type, name, align2, align4) \
  GPULAB_VECTOR3(type, name) GPULAB_VECTORS(type, name, align2, align4)
GPULAB_VECTOR_TYPES(signed char, char, 2, 4)
GPULAB_VECTOR_TYPES(unsigned char, uchar, 2, 4)
GPULAB_VECTOR_TYPES(short, short, 4, 8)
GPULAB_VECTOR_TYPES(unsigned short, ushort, 4, 8)
GPULAB_VECTOR_TYPES(int, int, 8, 16)
GPULAB_VECTORS(unsigned int, uint, 8, 16)
GPULAB_VECTOR_TYPES(long, long, 16, 16)
GPULAB_VECTOR_TYPES(unsigned long, ulong, 16, 16)
GPULAB_VECTOR_TYPES(long long, longlong, 16, 16)
GPULAB_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
GPULAB_VECTOR_TYPES(float, float, 8, 16)
GPULAB_VECTOR_TYPES(double, double, 16, 16)
GPULAB_INTRINSIC uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
#undef GPULAB_VECTOR_TYPES
#undef GPULAB_VECTORS
#undef GPULAB_VECTOR3
