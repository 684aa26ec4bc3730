// Arrays, textures and surfaces, as a program sees them. runtime_api.cuh comes before.
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3
};
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits
  cudaChannelFormatKind f;
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      struct gpulab_mipmapped_array* mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned flags;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;

// Shape of a fetch, by the function's name.
enum gpulab_fetch_shape {
  gpulab_fetch_linear,  // tex1Dfetch; the layer is the texel's index
  gpulab_fetch_1d,
  gpulab_fetch_2d,
  gpulab_fetch_3d,
  gpulab_fetch_1d_layered,
  gpulab_fetch_2d_layered,
  gpulab_fetch_cubemap,
  gpulab_fetch_cubemap_layered,
  gpulab_fetch_gather  // the layer is the component
};

extern "C" {
// Offsets into an array and widths of rows are in bytes; in a cudaMemcpy3D with an array, in elements.
GPULAB_CALL(cudaMallocArray, (cudaArray_t * array, const cudaChannelFormatDesc* format, size_t width,
                              size_t height = 0, unsigned flags = 0));
GPULAB_CALL(cudaMalloc3DArray, (cudaArray_t * array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                unsigned flags = 0));
GPULAB_CALL(cudaFreeArray, (cudaArray_t array));
GPULAB_CALL(cudaArrayGetInfo, (cudaChannelFormatDesc * format, cudaExtent* extent, unsigned* flags, cudaArray_t array));
GPULAB_CALL(cudaGetChannelDesc, (cudaChannelFormatDesc * format, cudaArray_const_t array));
GPULAB_CALL(cudaMemcpyToArray,
            (cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind));
GPULAB_CALL(cudaMemcpyToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemcpyFromArray,
            (void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind));
GPULAB_CALL(cudaMemcpyFromArrayAsync, (void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemcpy2DToArray, (cudaArray_t to, size_t x, size_t y, const void* from, size_t from_pitch,
                                  size_t width, size_t height, cudaMemcpyKind kind));
GPULAB_CALL(cudaMemcpy2DToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void* from, size_t from_pitch,
                                       size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemcpy2DFromArray, (void* to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                    size_t width, size_t height, cudaMemcpyKind kind));
GPULAB_CALL(cudaMemcpy2DFromArrayAsync, (void* to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                         size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemcpy2DArrayToArray, (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                       size_t from_y, size_t width, size_t height,
                                       cudaMemcpyKind kind = cudaMemcpyDeviceToDevice));
GPULAB_CALL(cudaCreateTextureObject, (cudaTextureObject_t * texture, const cudaResourceDesc* resource,
                                      const cudaTextureDesc* description, const cudaResourceViewDesc* view));
GPULAB_CALL(cudaDestroyTextureObject, (cudaTextureObject_t texture));
GPULAB_CALL(cudaGetTextureObjectResourceDesc, (cudaResourceDesc * resource, cudaTextureObject_t texture));
GPULAB_CALL(cudaGetTextureObjectTextureDesc, (cudaTextureDesc * description, cudaTextureObject_t texture));
GPULAB_CALL(cudaCreateSurfaceObject, (cudaSurfaceObject_t * surface, const cudaResourceDesc* resource));
GPULAB_CALL(cudaDestroySurfaceObject, (cudaSurfaceObject_t surface));
GPULAB_CALL(cudaGetSurfaceObjectResourceDesc, (cudaResourceDesc * resource, cudaSurfaceObject_t surface));

// For kernels: fetches four channels of 32 bits, before they are converted to the requested type. `code` is an address
// in the kernel's line, or null if accesses are not watched.
void gpulab_fetch_texture(cudaTextureObject_t texture, int shape, float x, float y, float z, int layer,
                          cudaChannelFormatKind wanted, unsigned* channels, const void* code);
// Returns the element's address; null if nothing is to be read or written. x counts bytes, z slices or layers.
void* gpulab_surface_element(cudaSurfaceObject_t surface, int x, int y, int z, unsigned bytes,
                             cudaSurfaceBoundaryMode mode, int is_store, const void* code);
}
