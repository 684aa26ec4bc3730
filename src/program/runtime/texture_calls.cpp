#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "program/runtime/call.hpp"

// The functions of the runtime API that make texture and surface objects.

namespace gpulab::program::runtime {
namespace {

constexpr std::size_t pitch_alignment = 32, alignment = 512;  // as cudaDeviceProp says

cudaError_t wrong_description(const Call& call, const std::string& what, const std::string& instead = "") {
  return call.defect(cudaErrorInvalidValue, "texture-description",
                     std::string(call.name()) + " is given " + what, instead);
}

cudaError_t bind_array(const Call& call, cudaArray_t handle, Texels& texels) {
  const Array* const array = call.runtime().textures().array(handle);
  if (array) texels = array->texels;
  return array ? cudaSuccess
               : wrong_description(call, "an array that was never made, or was freed",
                                   "cudaMallocArray first; cudaFreeArray last");
}

// Memory that the program has allocated, without an array.
cudaError_t bind_memory(const Call& call, const void* memory, const cudaChannelFormatDesc& format,
                        Texels& texels) {
  const auto texel = format_of(format);
  const Allocation* const found = call.runtime().allocations().at(memory);
  if (!found || found->is_array)
    return call.defect(
        cudaErrorInvalidValue, "wrong-direction",
        std::string(call.name()) + " is given " + (found ? "an array" : "memory of the host") +
            " where the device's memory must be",
        found ? "cudaResourceTypeArray, and res.array.array" : "a pointer that cudaMalloc gave");
  if (found->is_freed) return wrong_description(call, found->name() + ", which were freed");
  if (!texel)
    return wrong_description(call, "a format that no texture has",
                             "res.linear.desc = cudaCreateChannelDesc<float>()");
  texels = {.begin = reinterpret_cast<std::uintptr_t>(memory), .format = *texel};
  if (texels.begin % alignment != 0 && found->begin != texels.begin)
    return wrong_description(
        call, "an address that is no multiple of " + std::to_string(alignment) + " bytes (textureAlignment)");
  return cudaSuccess;
}

cudaError_t bind_resource(const Call& call, const cudaResourceDesc& resource, Texels& texels) {
  if (resource.resType == cudaResourceTypeArray) return bind_array(call, resource.res.array.array, texels);
  if (resource.resType == cudaResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    if (const cudaError_t error = bind_memory(call, linear.devPtr, linear.desc, texels)) return error;
    texels.width = linear.sizeInBytes / texels.format.bytes();
    texels.pitch = texels.row_bytes();
    return texels.width > 0 ? cudaSuccess
                            : wrong_description(call, "a texture of 0 elements (res.linear.sizeInBytes)");
  }
  if (resource.resType != cudaResourceTypePitch2D)
    return wrong_description(
        call, "a cudaResourceDesc whose resType the simulated device does not have",
        "memset(&resource, 0, sizeof resource), then resource.resType = cudaResourceTypeArray");
  const auto& rows = resource.res.pitch2D;
  if (const cudaError_t error = bind_memory(call, rows.devPtr, rows.desc, texels)) return error;
  texels.width = rows.width;
  texels.height = rows.height;
  texels.pitch = rows.pitchInBytes;
  if (rows.width == 0 || rows.height == 0) return wrong_description(call, "a texture without elements");
  if (texels.pitch % pitch_alignment != 0 || texels.pitch < texels.row_bytes())
    return wrong_description(
        call,
        "a pitch of " + grouped(texels.pitch) + " bytes, which " +
            (texels.pitch < texels.row_bytes()
                 ? "is less than a row of " + grouped(texels.row_bytes())
                 : "is no multiple of " + std::to_string(pitch_alignment) + " (texturePitchAlignment)"),
        "the pitch that cudaMallocPitch gives");
  return cudaSuccess;
}

cudaError_t sample(const Call& call, const cudaTextureDesc& description, const TexelFormat& format,
                   Sampling& sampling) {
  const auto is_one = [](int value, int last) { return value >= 0 && value <= last; };
  if (!is_one(description.filterMode, cudaFilterModeLinear) ||
      !is_one(description.readMode, cudaReadModeNormalizedFloat) ||
      !is_one(description.addressMode[0], cudaAddressModeBorder))
    return wrong_description(call, "a cudaTextureDesc with fields that nobody has set",
                             "memset(&description, 0, sizeof description) before its fields are set");
  sampling = {.is_linear = description.filterMode == cudaFilterModeLinear,
              .is_normalised_float = description.readMode == cudaReadModeNormalizedFloat,
              .has_normalised_coordinates = description.normalizedCoords != 0,
              .is_srgb = description.sRGB != 0};
  std::copy_n(description.addressMode, 3, sampling.address_modes.begin());
  std::copy_n(description.borderColor, 4, sampling.border.begin());
  if (sampling.is_linear && !gives_floats(format, sampling))
    return wrong_description(
        call, "cudaFilterModeLinear for integers that are read as they are",
        "readMode = cudaReadModeNormalizedFloat for 8 and 16 bits, or cudaFilterModePoint");
  return cudaSuccess;
}

// Null, and a defect, for what is no object of that kind or was destroyed.
TextureObject* object_at(const Call& call, unsigned long long number, bool is_surface, cudaError_t& error) {
  TextureObject* const object = call.runtime().textures().object(number);
  if (object && !object->is_destroyed && object->is_surface == is_surface) return object;
  error = call.defect(cudaErrorInvalidValue, "invalid-handle",
                      std::string(call.name()) + " is given a " + (is_surface ? "surface" : "texture") +
                          " that was never created, or was destroyed");
  return nullptr;
}

// Work that was asked for before still uses it.
cudaError_t destroy(const Call& call, unsigned long long number, bool is_surface) {
  cudaError_t error = cudaSuccess;
  TextureObject* const object = object_at(call, number, is_surface, error);
  if (!object) return error;
  Runtime& runtime = call.runtime();
  error = runtime.guarded([&] {
    for (Stream* const stream : runtime.streams_of(runtime.current_device())) stream->queue->run();
  });
  object->is_destroyed = true;
  object->destroyed = call.site();
  return error;
}

}  // namespace
}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description, const cudaResourceViewDesc*) {
  GPULAB_CALL_BEGINS(cudaCreateTextureObject);
  if (!texture || !resource || !description)
    return call.fail(cudaErrorInvalidValue, "it was given a null pointer");
  TextureObject object{.resource = *resource, .description = *description, .created = call.site()};
  if (const cudaError_t error = bind_resource(call, *resource, object.texels)) return error;
  if (const cudaError_t error = sample(call, *description, object.texels.format, object.sampling))
    return error;
  *texture = call.runtime().textures().add(object);
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  GPULAB_CALL_BEGINS(cudaDestroyTextureObject);
  return destroy(call, texture, false);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t texture) {
  GPULAB_CALL_BEGINS(cudaGetTextureObjectResourceDesc);
  cudaError_t error = cudaSuccess;
  if (const TextureObject* const object = object_at(call, texture, false, error))
    *resource = object->resource;
  return error;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description, cudaTextureObject_t texture) {
  GPULAB_CALL_BEGINS(cudaGetTextureObjectTextureDesc);
  cudaError_t error = cudaSuccess;
  if (const TextureObject* const object = object_at(call, texture, false, error))
    *description = object->description;
  return error;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource) {
  GPULAB_CALL_BEGINS(cudaCreateSurfaceObject);
  if (!surface || !resource) return call.fail(cudaErrorInvalidValue, "it was given a null pointer");
  if (resource->resType != cudaResourceTypeArray)
    return wrong_description(call, "what is no array", "resource.resType = cudaResourceTypeArray");
  TextureObject object{.is_surface = true, .resource = *resource, .created = call.site()};
  if (const cudaError_t error = bind_array(call, resource->res.array.array, object.texels)) return error;
  if (!(call.runtime().textures().array(resource->res.array.array)->flags & cudaArraySurfaceLoadStore))
    return wrong_description(call, "an array that was made without cudaArraySurfaceLoadStore",
                             "cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore)");
  *surface = call.runtime().textures().add(object);
  return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  GPULAB_CALL_BEGINS(cudaDestroySurfaceObject);
  return destroy(call, surface, true);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t surface) {
  GPULAB_CALL_BEGINS(cudaGetSurfaceObjectResourceDesc);
  cudaError_t error = cudaSuccess;
  if (const TextureObject* const object = object_at(call, surface, true, error)) *resource = object->resource;
  return error;
}
