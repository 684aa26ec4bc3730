#include <fmt/format.h>
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/hooks.hpp"

namespace gpulab::program::runtime {

// Functions that kernels call to fetch from textures, and to read and write surfaces.

namespace {

using simulator::schedule::BlockScheduler;
using simulator::schedule::scheduler_of_this_thread;
using ObjectKind = TextureObject::Kind;

const char* word_for(ObjectKind kind) {
  return kind == ObjectKind::surface ? "surface" : "texture";
}

// Adds the defect and ends the launch.
[[noreturn]] void fail(const Textures::KernelDefect& defect) {
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  Runtime::instance().textures().add_defect(
      {defect.pattern, scheduler->running_thread() + " " + defect.text, defect.correction, defect.pc});
  scheduler->fail({"CUDA_ERROR_ILLEGAL_ADDRESS", defect.text});
}

[[noreturn]] void fail_without_object(const TextureObject* object, ObjectKind kind, const void* pc) {
  const std::string what = std::string("uses a ") + word_for(kind);
  if (object && object->kind == kind)
    fail({"invalid-handle", what + " that was destroyed", "destroy it after the last kernel that uses it",
          pc});
  fail({"invalid-handle", what + " that was never created",
        kind == ObjectKind::surface ? "cudaCreateSurfaceObject(&surface, &resource)"
                                    : "cudaCreateTextureObject(&texture, &resource, &description, nullptr)",
        pc});
}

const TextureObject& object_in_kernel(unsigned long long number, ObjectKind kind, const void* pc) {
  const TextureObject* const object = Runtime::instance().textures().object(number);
  if (!object || object->kind != kind || object->is_destroyed) fail_without_object(object, kind, pc);
  return *object;
}

[[noreturn]] void fail_outside(const Texels& texels, const std::string& verb, int x, int y, int z,
                               const void* pc) {
  const bool has_slices = texels.depth > 1;
  fail(
      {"out-of-bounds",
       verb + " byte " + std::to_string(x) + " of row " + std::to_string(y) +
           (has_slices ? " of slice " + std::to_string(z) : "") + ", outside of a surface of " +
           grouped(texels.row_bytes()) + " bytes x " + grouped(texels.height) + " rows" +
           (has_slices ? " x " + grouped(texels.depth) + " slices" : ""),
       "x counts bytes: x * sizeof(element); cudaBoundaryModeClamp or cudaBoundaryModeZero where it may lie outside",
       pc});
}

void before_read(std::uintptr_t address, std::size_t bytes, const void* pc) {
  scheduler_of_this_thread()->on_memory_access(
      {MemoryAccess::Operation::load, address, bytes, address_of(pc)});
}

std::string name_of(const TexelFormat& format) {
  if (format.kind == cudaChannelFormatKindFloat) return std::to_string(format.bits) + "-bit floats";
  return std::to_string(format.bits) +
         (format.kind == cudaChannelFormatKindSigned ? "-bit signed" : "-bit unsigned") + " integers";
}

// Warns of a fetch of the wrong type, for which a GPU reinterprets the bits.
void warn_of_type(const TextureObject& texture, bool wants_floats, const void* pc) {
  Runtime::instance().textures().add_defect(
      {"texture-type",
       fmt::format("{} are fetched from a texture of {}, which {}", wants_floats ? "floats" : "integers",
                   name_of(texture.texels.format), wants_floats ? "stay integers" : "become floats"),
       wants_floats ? "readMode = cudaReadModeNormalizedFloat, or a fetch of integers"
                    : "tex2D<float>, or cudaReadModeElementType for integers",
       pc});
}

}  // namespace

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

void gpulab_fetch_texture(cudaTextureObject_t number, int shape, float x, float y, float z, int layer,
                          cudaChannelFormatKind wanted, unsigned* channels, const void* pc) {
  const void* const caller = pc ? pc : __builtin_return_address(0);
  const TextureObject& texture = object_in_kernel(number, ObjectKind::texture, caller);
  const bool wants_floats = wanted == cudaChannelFormatKindFloat;
  if (pc && wants_floats != gives_floats(texture.texels.format, texture.sampling))
    warn_of_type(texture, wants_floats, caller);
  const auto texel =
      fetched(texture.texels, texture.sampling, {static_cast<gpulab_fetch_shape>(shape), x, y, z, layer},
              pc ? before_read : nullptr, pc);
  std::copy(texel.begin(), texel.end(), channels);
}

void* gpulab_surface_element(cudaSurfaceObject_t number, int x, int y, int z, unsigned bytes,
                             cudaSurfaceBoundaryMode mode, int is_store, const void* pc) {
  const void* const caller = pc ? pc : __builtin_return_address(0);
  const Texels& texels = object_in_kernel(number, ObjectKind::surface, caller).texels;
  const char* const verb = is_store ? "writes" : "reads";
  const auto last = [](std::size_t count) { return static_cast<int>(count) - 1; };
  const int last_x = static_cast<int>(texels.row_bytes()) - static_cast<int>(bytes);
  if (x < 0 || x > last_x || y < 0 || y > last(texels.height) || z < 0 || z > last(texels.depth)) {
    if (mode == cudaBoundaryModeZero) return nullptr;
    if (mode != cudaBoundaryModeClamp) fail_outside(texels, verb, x, y, z, caller);
    x = std::clamp(x, 0, std::max(0, last_x));
    y = std::clamp(y, 0, last(texels.height));
    z = std::clamp(z, 0, last(texels.depth));
  }
  if (static_cast<unsigned>(x) % bytes != 0)
    fail({"misaligned",
          fmt::format("{} at byte {} of a row, which is not a multiple of the {} bytes of an element", verb,
                      x, bytes),
          "x counts bytes: x * sizeof(element)", caller});
  const std::uintptr_t address =
      texels.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<std::size_t>(z));
  if (pc)
    scheduler_of_this_thread()->on_memory_access(
        {is_store ? MemoryAccess::Operation::store : MemoryAccess::Operation::load, address, bytes,
         address_of(pc)});
  return reinterpret_cast<void*>(address);
}

namespace gpulab::program::runtime {

// Functions of the runtime API that create texture and surface objects.

namespace {

constexpr std::size_t pitch_alignment = 32, alignment = 512;  // as cudaDeviceProp says

cudaError_t wrong_description(const Call& call, const std::string& what, const std::string& correction = "") {
  return call.defect(cudaErrorInvalidValue, "texture-description",
                     std::string(call.name()) + " is given " + what, correction);
}

cudaError_t bind_array(const Call& call, cudaArray_t handle, Texels& texels) {
  const Array* const array = call.runtime().textures().array(handle);
  if (array) texels = array->texels;
  return array ? cudaSuccess
               : wrong_description(call, "an array that was never made, or was freed",
                                   "cudaMallocArray first; cudaFreeArray last");
}

// Binds memory that the program has allocated, other than an array.
cudaError_t bind_memory(const Call& call, const void* memory, const cudaChannelFormatDesc& format,
                        Texels& texels) {
  const auto texel = format_of(format);
  const Allocation* const found = call.runtime().allocations().at(memory);
  if (!found || found->is_array)
    return call.defect(
        cudaErrorInvalidValue, "wrong-direction",
        fmt::format("{} is given {} instead of device memory", call.name(),
                    found ? "an array" : "host memory"),
        found ? "cudaResourceTypeArray, and res.array.array" : "a pointer that cudaMalloc gave");
  if (found->is_freed) return wrong_description(call, found->name() + ", which were freed");
  if (!texel)
    return wrong_description(call, "a format that no texture has",
                             "res.linear.desc = cudaCreateChannelDesc<float>()");
  texels = {.begin = address_of(memory), .format = *texel};
  if (texels.begin % alignment != 0 && found->begin != texels.begin)
    return wrong_description(call, "an address that is not a multiple of " + std::to_string(alignment) +
                                       " bytes (textureAlignment)");
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
                 : "is not a multiple of " + std::to_string(pitch_alignment) + " (texturePitchAlignment)"),
        "the pitch that cudaMallocPitch gives");
  return cudaSuccess;
}

cudaError_t read_sampling(const Call& call, const cudaTextureDesc& description, const TexelFormat& format,
                          Sampling& sampling) {
  const auto is_valid = [](int value, int last) { return value >= 0 && value <= last; };
  if (!is_valid(description.filterMode, cudaFilterModeLinear) ||
      !is_valid(description.readMode, cudaReadModeNormalizedFloat) ||
      !is_valid(description.addressMode[0], cudaAddressModeBorder))
    return wrong_description(call, "a cudaTextureDesc with uninitialised fields",
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

// Calls `function` with the object, or reports a defect if it is of another kind or was destroyed.
template <class Function>
cudaError_t with_object(const Call& call, unsigned long long number, ObjectKind kind,
                        const Function& function) {
  TextureObject* const object = call.runtime().textures().object(number);
  if (object && !object->is_destroyed && object->kind == kind) return function(*object);
  return call.defect(
      cudaErrorInvalidValue, "invalid-handle",
      fmt::format("{} is given a {} that was never created, or was destroyed", call.name(), word_for(kind)));
}

// Completes queued work first. On a GPU, a queued kernel with the object may begin after its destruction.
cudaError_t destroy(const Call& call, unsigned long long number, ObjectKind kind) {
  return with_object(call, number, kind, [&](TextureObject& object) {
    Runtime& runtime = call.runtime();
    runtime.textures().begin_destruction(number);
    const cudaError_t error = runtime.run_device_work([&] {
      for (Stream* const stream : runtime.streams_of(runtime.current_device())) stream->queue->run();
    });
    if (const auto user = runtime.textures().end_destruction())
      runtime.add(
          {.pattern = "use-after-free",
           .place = place_of(call.site()),
           .text = fmt::format(
               "{} destroys a {} that kernel {} is given, and the host has not waited for that kernel, which may use it later",
               call.name(), word_for(kind), user->kernel),
           .correction = fmt::format("cudaDeviceSynchronize() before {} in {}", call.name(),
                                     text_of(place_of(call.site()))),
           .others = {launched_at(user->kernel, user->launched)}});
    object.is_destroyed = true;
    return error;
  });
}

cudaError_t make_texture(const Call& call, cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                         const cudaTextureDesc* description) {
  if (!texture || !resource || !description)
    return call.fail(cudaErrorInvalidValue, "it was given a null pointer");
  TextureObject object{.resource = *resource, .description = *description};
  if (const cudaError_t error = bind_resource(call, *resource, object.texels)) return error;
  if (const cudaError_t error = read_sampling(call, *description, object.texels.format, object.sampling))
    return error;
  return give(texture, call.runtime().textures().add_object(object));
}

cudaError_t make_surface(const Call& call, cudaSurfaceObject_t* surface, const cudaResourceDesc* resource) {
  if (!surface || !resource) return call.fail(cudaErrorInvalidValue, "it was given a null pointer");
  if (resource->resType != cudaResourceTypeArray)
    return wrong_description(call, "a resource without an array", "resource.resType = cudaResourceTypeArray");
  TextureObject object{.kind = ObjectKind::surface, .resource = *resource};
  if (const cudaError_t error = bind_array(call, resource->res.array.array, object.texels)) return error;
  if (!(call.runtime().textures().array(resource->res.array.array)->flags & cudaArraySurfaceLoadStore))
    return wrong_description(call, "an array that was made without cudaArraySurfaceLoadStore",
                             "cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore)");
  return give(surface, call.runtime().textures().add_object(object));
}

}  // namespace

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

GPULAB_ENTRY(cudaCreateTextureObject,
             (cudaTextureObject_t * texture, const cudaResourceDesc* resource,
              const cudaTextureDesc* description, const cudaResourceViewDesc*),
             make_texture(call, texture, resource, description))
GPULAB_ENTRY(cudaDestroyTextureObject, (cudaTextureObject_t texture),
             destroy(call, texture, ObjectKind::texture))
GPULAB_ENTRY(cudaGetTextureObjectResourceDesc, (cudaResourceDesc * resource, cudaTextureObject_t texture),
             with_object(call, texture, ObjectKind::texture,
                         [&](const TextureObject& object) { return give(resource, object.resource); }))
GPULAB_ENTRY(cudaGetTextureObjectTextureDesc, (cudaTextureDesc * description, cudaTextureObject_t texture),
             with_object(call, texture, ObjectKind::texture,
                         [&](const TextureObject& object) { return give(description, object.description); }))
GPULAB_ENTRY(cudaCreateSurfaceObject, (cudaSurfaceObject_t * surface, const cudaResourceDesc* resource),
             make_surface(call, surface, resource))
GPULAB_ENTRY(cudaDestroySurfaceObject, (cudaSurfaceObject_t surface),
             destroy(call, surface, ObjectKind::surface))
GPULAB_ENTRY(cudaGetSurfaceObjectResourceDesc, (cudaResourceDesc * resource, cudaSurfaceObject_t surface),
             with_object(call, surface, ObjectKind::surface,
                         [&](const TextureObject& object) { return give(resource, object.resource); }))
