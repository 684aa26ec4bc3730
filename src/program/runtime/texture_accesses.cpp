#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/device_calls.hpp"

// What kernels call to fetch from textures, and to read and write surfaces.

namespace gpulab::program::runtime {
namespace {

using simulator::count::MemoryAccess;
using simulator::schedule::BlockScheduler;
using simulator::schedule::scheduler_of_this_thread;

// Ends the launch, with what is wrong and where.
[[noreturn]] void fail(const Textures::Trouble& trouble) {
  BlockScheduler* const scheduler = scheduler_of_this_thread();
  Runtime::instance().textures().add(
      {trouble.pattern, scheduler->running_thread() + " " + trouble.text, trouble.instead, trouble.code});
  scheduler->fail({"CUDA_ERROR_ILLEGAL_ADDRESS", trouble.text});
}

[[noreturn]] void fail_without_object(const TextureObject* object, bool is_surface, const void* code) {
  const std::string what = std::string("uses a ") + (is_surface ? "surface" : "texture");
  if (object && object->is_surface == is_surface)
    fail({"invalid-handle", what + " that was destroyed", "destroy it after the last kernel that uses it",
          code});
  fail({"invalid-handle", what + " that was never created",
        is_surface ? "cudaCreateSurfaceObject(&surface, &resource)"
                   : "cudaCreateTextureObject(&texture, &resource, &description, nullptr)",
        code});
}

const TextureObject& object_in_kernel(unsigned long long number, bool is_surface, const void* code) {
  const TextureObject* const object = Runtime::instance().textures().object(number);
  if (!object || object->is_surface != is_surface || object->is_destroyed)
    fail_without_object(object, is_surface, code);
  return *object;
}

[[noreturn]] void fail_outside(const Texels& texels, const std::string& does, int x, int y, int z,
                               const void* code) {
  const bool has_slices = texels.depth > 1;
  fail({"out-of-bounds",
        does + " byte " + std::to_string(x) + " of row " + std::to_string(y) +
            (has_slices ? " of slice " + std::to_string(z) : "") + ", outside of a surface of " +
            grouped(texels.row_bytes()) + " bytes x " + grouped(texels.height) + " rows" +
            (has_slices ? " x " + grouped(texels.depth) + " slices" : ""),
        "x counts bytes: x * sizeof(element); cudaBoundaryModeClamp or cudaBoundaryModeZero where it may lie "
        "outside",
        code});
}

void before_read(std::uintptr_t address, std::size_t bytes, const void* code) {
  scheduler_of_this_thread()->at_memory_access(
      {MemoryAccess::Operation::load, address, bytes, reinterpret_cast<std::uintptr_t>(code)});
}

std::string name_of(const TexelFormat& format) {
  if (format.kind == cudaChannelFormatKindFloat) return std::to_string(format.bits) + "-bit floats";
  return std::to_string(format.bits) +
         (format.kind == cudaChannelFormatKindSigned ? "-bit signed" : "-bit unsigned") + " integers";
}

// What a GPU gives then are the bits of the one, taken for the other.
void warn_of_type(const TextureObject& texture, bool wants_floats, const void* code) {
  const std::string elements = name_of(texture.texels.format);
  if (wants_floats)
    Runtime::instance().textures().add(
        {"texture-type", "floats are fetched from a texture of " + elements + ", which it gives as they are",
         "readMode = cudaReadModeNormalizedFloat, or a fetch of integers", code});
  else
    Runtime::instance().textures().add(
        {"texture-type", "integers are fetched from a texture of " + elements + ", which it gives as floats",
         "tex2D<float>, or cudaReadModeElementType for integers", code});
}

}  // namespace
}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

void gpulab_fetch_texture(cudaTextureObject_t number, int shape, float x, float y, float z, int layer,
                          cudaChannelFormatKind wanted, unsigned* channels, const void* code) {
  const void* const line = code ? code : __builtin_return_address(0);
  const TextureObject& texture = object_in_kernel(number, false, line);
  const bool wants_floats = wanted == cudaChannelFormatKindFloat;
  if (code && wants_floats != gives_floats(texture.texels.format, texture.sampling))
    warn_of_type(texture, wants_floats, line);
  const auto texel =
      fetched(texture.texels, texture.sampling, {static_cast<gpulab_fetch_shape>(shape), x, y, z, layer},
              code ? before_read : nullptr, code);
  std::copy(texel.begin(), texel.end(), channels);
}

void* gpulab_surface_element(cudaSurfaceObject_t number, int x, int y, int z, unsigned bytes,
                             cudaSurfaceBoundaryMode mode, int is_store, const void* code) {
  const void* const line = code ? code : __builtin_return_address(0);
  const Texels& texels = object_in_kernel(number, true, line).texels;
  const char* const does = is_store ? "writes" : "reads";
  const auto limit = [](std::size_t count) { return static_cast<int>(count) - 1; };
  const int last_x = static_cast<int>(texels.row_bytes()) - static_cast<int>(bytes);
  if (x < 0 || x > last_x || y < 0 || y > limit(texels.height) || z < 0 || z > limit(texels.depth)) {
    if (mode == cudaBoundaryModeZero) return nullptr;
    if (mode != cudaBoundaryModeClamp) fail_outside(texels, does, x, y, z, line);
    x = std::clamp(x, 0, std::max(0, last_x));
    y = std::clamp(y, 0, limit(texels.height));
    z = std::clamp(z, 0, limit(texels.depth));
  }
  if (static_cast<unsigned>(x) % bytes != 0)
    fail({"misaligned",
          std::string(does) + " at byte " + std::to_string(x) + " of a row, which is no multiple of the " +
              std::to_string(bytes) + " bytes of an element",
          "x counts bytes: x * sizeof(element)", line});
  const std::uintptr_t address =
      texels.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<std::size_t>(z));
  if (code)
    scheduler_of_this_thread()->at_memory_access(
        {is_store ? MemoryAccess::Operation::store : MemoryAccess::Operation::load, address, bytes,
         reinterpret_cast<std::uintptr_t>(code)});
  return reinterpret_cast<void*>(address);
}
