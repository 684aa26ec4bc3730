// For: cudaTextureObject_t cudaSurfaceObject_t
// Textures and surfaces in kernels. The runtime fetches a texel's bits (runtime/textures.hpp); these templates give
// them their type.
#ifdef GPULAB_HOOKED
#define GPULAB_TEXTURE_LINE __builtin_return_address(0)
#else
#define GPULAB_TEXTURE_LINE nullptr
#endif
template <class Channel>
GPULAB_UNHOOKED GPULAB_INTRINSIC Channel gpulab_channel(unsigned bits, Channel) {
  return (Channel)bits;
}
GPULAB_UNHOOKED GPULAB_INTRINSIC float gpulab_channel(unsigned bits, float) {
  union {
    unsigned bits;
    float value;
  } const channel = {bits};
  return channel.value;
}
template <class T>
GPULAB_ATOMIC T gpulab_fetched(cudaTextureObject_t texture, int shape, float x, float y, float z, int layer,
                               const void* code) {
  typedef decltype(gpulab_channel_of((const T*)nullptr, 0)) Channel;
  constexpr unsigned count = sizeof(T) / sizeof(Channel);
  unsigned bits[4];
  union {
    Channel channels[count];
    T value;
  } texel;
  gpulab_fetch_texture(texture, shape, x, y, z, layer, gpulab_channel_kind<Channel>(), bits, code);
  for (unsigned i = 0; i < count; ++i) texel.channels[i] = gpulab_channel(bits[i], Channel());
  return texel.value;
}
// T tex2D<T>(texture, x, y), and tex2D(&value, texture, x, y).
#define GPULAB_FETCH(name, shape, x, y, z, layer, ...)                                                       \
  template <class T>                                                                                         \
  GPULAB_ATOMIC T name(cudaTextureObject_t texture, __VA_ARGS__) {                                           \
    return gpulab_fetched<T>(texture, gpulab_fetch_##shape, x, y, z, layer, GPULAB_TEXTURE_LINE);            \
  }                                                                                                          \
  template <class T>                                                                                         \
  GPULAB_ATOMIC void name(T* value, cudaTextureObject_t texture, __VA_ARGS__) {                              \
    *value = gpulab_fetched<T>(texture, gpulab_fetch_##shape, x, y, z, layer, GPULAB_TEXTURE_LINE);          \
  }
GPULAB_FETCH(tex1Dfetch, linear, 0, 0, 0, x, int x)
GPULAB_FETCH(tex1D, 1d, x, 0, 0, 0, float x)
GPULAB_FETCH(tex2D, 2d, x, y, 0, 0, float x, float y)
GPULAB_FETCH(tex3D, 3d, x, y, z, 0, float x, float y, float z)
GPULAB_FETCH(tex1DLayered, 1d_layered, x, 0, 0, layer, float x, int layer)
GPULAB_FETCH(tex2DLayered, 2d_layered, x, y, 0, layer, float x, float y, int layer)
GPULAB_FETCH(texCubemap, cubemap, x, y, z, 0, float x, float y, float z)
GPULAB_FETCH(texCubemapLayered, cubemap_layered, x, y, z, layer, float x, float y, float z, int layer)
GPULAB_FETCH(tex2Dgather, gather, x, y, 0, component, float x, float y, int component = 0)
// There are no mipmaps, so nothing depends on the level of detail.
GPULAB_FETCH(tex1DLod, 1d, x, 0, 0, 0, float x, float)
GPULAB_FETCH(tex2DLod, 2d, x, y, 0, 0, float x, float y, float)
GPULAB_FETCH(tex3DLod, 3d, x, y, z, 0, float x, float y, float z, float)
GPULAB_FETCH(tex1DLayeredLod, 1d_layered, x, 0, 0, layer, float x, int layer, float)
GPULAB_FETCH(tex2DLayeredLod, 2d_layered, x, y, 0, layer, float x, float y, int layer, float)
GPULAB_FETCH(texCubemapLod, cubemap, x, y, z, 0, float x, float y, float z, float)
#undef GPULAB_FETCH

template <class T>
GPULAB_ATOMIC T gpulab_surface_read(cudaSurfaceObject_t surface, int x, int y, int z, cudaSurfaceBoundaryMode mode,
                                    const void* code) {
  const T* const element = (const T*)gpulab_surface_element(surface, x, y, z, sizeof(T), mode, 0, code);
  return element ? *element : T();
}
template <class T>
GPULAB_ATOMIC void gpulab_surface_write(T value, cudaSurfaceObject_t surface, int x, int y, int z,
                                        cudaSurfaceBoundaryMode mode, const void* code) {
  if (T* const element = (T*)gpulab_surface_element(surface, x, y, z, sizeof(T), mode, 1, code)) *element = value;
}
#define GPULAB_SURFACE(name, y, z, ...)                                                                           \
  template <class T>                                                                                              \
  GPULAB_ATOMIC T name##read(cudaSurfaceObject_t surface, __VA_ARGS__,                                            \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                               \
    return gpulab_surface_read<T>(surface, x, y, z, mode, GPULAB_TEXTURE_LINE);                                   \
  }                                                                                                               \
  template <class T>                                                                                              \
  GPULAB_ATOMIC void name##read(T* value, cudaSurfaceObject_t surface, __VA_ARGS__,                               \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                            \
    *value = gpulab_surface_read<T>(surface, x, y, z, mode, GPULAB_TEXTURE_LINE);                                 \
  }                                                                                                               \
  template <class T>                                                                                              \
  GPULAB_ATOMIC void name##write(T value, cudaSurfaceObject_t surface, __VA_ARGS__,                               \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
    gpulab_surface_write<T>(value, surface, x, y, z, mode, GPULAB_TEXTURE_LINE);                                  \
  }
GPULAB_SURFACE(surf1D, 0, 0, int x)
GPULAB_SURFACE(surf2D, y, 0, int x, int y)
GPULAB_SURFACE(surf3D, y, z, int x, int y, int z)
GPULAB_SURFACE(surf1DLayered, 0, layer, int x, int layer)
GPULAB_SURFACE(surf2DLayered, y, layer, int x, int y, int layer)
GPULAB_SURFACE(surfCubemap, y, face, int x, int y, int face)
GPULAB_SURFACE(surfCubemapLayered, y, face, int x, int y, int face)
#undef GPULAB_SURFACE
