#include <fmt/format.h>
#include <string>

#include "base/text.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/copies.hpp"

// Functions of the runtime API that create arrays for textures and surfaces, and copy to and from them. Rows
// are stored without gaps: no program can see how a GPU arranges them.

namespace gpulab::program::runtime {
namespace {

cudaError_t make_array(const Call& call, cudaArray_t* array, const cudaChannelFormatDesc* format,
                       cudaExtent extent, unsigned flags) {
  if (!array || !format)
    return call.fail(cudaErrorInvalidValue, "the pointer for the array or the format is null");
  const auto texel = format_of(*format);
  if (!texel)
    return call.defect(
        cudaErrorInvalidChannelDescriptor, "texture-format",
        fmt::format("{} is given a format that no array has: {}, {}, {} and {} bits", call.name(), format->x,
                    format->y, format->z, format->w),
        "1, 2 or 4 channels of the same 8, 16 or 32 bits, as cudaCreateChannelDesc<float4>() says");
  const bool is_cube = flags & cudaArrayCubemap;
  if (extent.width == 0 ||
      (is_cube && (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0)))
    return call.fail(cudaErrorInvalidValue,
                     is_cube ? "a cube map needs six square faces for each cube" : "it has no width");
  Texels texels{.format = *texel,
                .width = extent.width,
                .height = std::max<std::size_t>(1, extent.height),
                .depth = std::max<std::size_t>(1, extent.depth)};
  texels.pitch = texels.row_bytes();
  void* memory = nullptr;
  const cudaError_t error = call.runtime().allocate({.bytes = texels.pitch * texels.height * texels.depth,
                                                     .device = call.runtime().current_device(),
                                                     .site = call.site(),
                                                     .element_bytes = texel->bytes(),
                                                     .is_array = true},
                                                    &memory, call.name());
  if (error) return error;
  texels.begin = address_of(memory);
  *array = static_cast<cudaArray_t>(memory);
  call.runtime().textures().add_array(*array, {*format, extent, flags, texels});
  return cudaSuccess;
}

// Calls `function` with the array of a handle, or reports a defect if there is none.
template <class Function>
cudaError_t with_array(const Call& call, cudaArray_const_t handle, const Function& function) {
  if (const Array* const array = call.runtime().textures().array(handle)) return function(*array);
  const Allocation* const memory = call.runtime().allocations().at(handle);
  const bool is_freed = memory && memory->is_array && memory->is_freed;
  std::vector<ProgramFinding::Other> others;
  if (is_freed) others.push_back({place_of(memory->freed), "it was freed here"});
  return call.defect(cudaErrorInvalidResourceHandle, is_freed ? "use-after-free" : "invalid-handle",
                     is_freed
                         ? fmt::format("{} uses {} after the array was freed", call.name(), memory->name())
                         : std::string(call.name()) + " is given an array that was never made",
                     is_freed ? "" : "cudaMallocArray(&array, &format, width, height) first", others);
}

// Stores row y, from byte x on. A copy of consecutive bytes that begins there may go on into the next rows.
cudaError_t row_at(const Call& call, cudaArray_const_t handle, std::size_t x, std::size_t y, RowsAt& rows) {
  return with_array(call, handle, [&](const Array& array) {
    return give(&rows, {array.texels.at(x, y, 0), array.texels.pitch, /*is_array=*/true});
  });
}

RowsAt memory_at(const void* memory, std::size_t pitch = 0) {
  return {address_of(memory), pitch};
}

cudaError_t copy_to(const Call& call, cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                    std::size_t bytes, const CopyMode& mode) {
  RowsAt rows;
  if (const cudaError_t error = row_at(call, to, x, y, rows)) return error;
  return queue_row_copy(call, rows, memory_at(from), bytes, 1, mode);
}

cudaError_t copy_from(const Call& call, void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                      std::size_t bytes, const CopyMode& mode) {
  RowsAt rows;
  if (const cudaError_t error = row_at(call, from, x, y, rows)) return error;
  return queue_row_copy(call, memory_at(to), rows, bytes, 1, mode);
}

cudaError_t copy_rows_to(const Call& call, cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                         std::size_t pitch, std::size_t width, std::size_t height, const CopyMode& mode) {
  if (width > pitch) return call.fail(cudaErrorInvalidPitchValue, "a row is wider than the pitch");
  RowsAt rows;
  if (const cudaError_t error = rows_in_array(call, to, x, y, 0, width, height, 1, rows)) return error;
  return queue_row_copy(call, rows, memory_at(from, pitch), width, height, mode);
}

cudaError_t copy_rows_from(const Call& call, void* to, std::size_t pitch, cudaArray_const_t from,
                           std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                           const CopyMode& mode) {
  if (width > pitch) return call.fail(cudaErrorInvalidPitchValue, "a row is wider than the pitch");
  RowsAt rows;
  if (const cudaError_t error = rows_in_array(call, from, x, y, 0, width, height, 1, rows)) return error;
  return queue_row_copy(call, memory_at(to, pitch), rows, width, height, mode);
}

cudaError_t copy_between_arrays(const Call& call, cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  RowsAt to_rows, from_rows;
  if (const cudaError_t error = rows_in_array(call, to, to_x, to_y, 0, width, height, 1, to_rows))
    return error;
  if (const cudaError_t error = rows_in_array(call, from, from_x, from_y, 0, width, height, 1, from_rows))
    return error;
  return queue_row_copy(call, to_rows, from_rows, width, height, {kind});
}

cudaError_t fill_array_info(const Call& call, cudaChannelFormatDesc* format, cudaExtent* extent,
                            unsigned* flags, cudaArray_const_t handle) {
  return with_array(call, handle, [&](const Array& array) {
    if (format) *format = array.format;
    if (extent) *extent = array.extent;
    if (flags) *flags = array.flags;
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t rows_in_array(const Call& call, cudaArray_const_t handle, std::size_t x_bytes, std::size_t y,
                          std::size_t z, std::size_t width_bytes, std::size_t height, std::size_t depth,
                          RowsAt& rows) {
  return with_array(call, handle, [&](const Array& array) {
    const Texels& texels = array.texels;
    rows = {texels.at(x_bytes, y, z), texels.pitch, /*is_array=*/true};
    if (x_bytes + width_bytes <= texels.row_bytes() && y + height <= texels.height &&
        z + depth <= texels.depth)
      return cudaSuccess;
    const auto size_text = [](std::size_t bytes, std::size_t row_count, std::size_t slices) {
      return grouped(bytes) + " bytes x " + grouped(row_count) + " rows" +
             (slices > 1 ? " x " + grouped(slices) + " slices" : "");
    };
    const Allocation* const memory = call.runtime().allocations().at(handle);
    return call.defect(
        cudaErrorInvalidValue, "copy-size",
        fmt::format("{} of {} from byte {} of row {} on does not fit into the array, which has {}",
                    call.name(), size_text(width_bytes, height, depth), grouped(x_bytes), grouped(y),
                    size_text(texels.row_bytes(), texels.height, texels.depth)),
        "a width in bytes that fits into the array", {allocated_at(*memory)});
  });
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

GPULAB_ENTRY(cudaMallocArray,
             (cudaArray_t * array, const cudaChannelFormatDesc* format, size_t width, size_t height,
              unsigned flags),
             make_array(call, array, format, {width, height, 0}, flags))
GPULAB_ENTRY(cudaMalloc3DArray,
             (cudaArray_t * array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags),
             make_array(call, array, format, extent, flags))
GPULAB_ENTRY(cudaArrayGetInfo,
             (cudaChannelFormatDesc * format, cudaExtent* extent, unsigned* flags, cudaArray_t array),
             fill_array_info(call, format, extent, flags, array))
GPULAB_ENTRY(cudaGetChannelDesc, (cudaChannelFormatDesc * format, cudaArray_const_t array),
             fill_array_info(call, format, nullptr, nullptr, array))

GPULAB_ENTRY_PAIR(cudaMemcpyToArray,
                  (cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind),
                  copy_to(call, to, x, y, from, bytes, {kind, stream, is_asynchronous}))
GPULAB_ENTRY_PAIR(cudaMemcpyFromArray,
                  (void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind),
                  copy_from(call, to, from, x, y, bytes, {kind, stream, is_asynchronous}))
GPULAB_ENTRY_PAIR(cudaMemcpy2DToArray,
                  (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                   size_t height, cudaMemcpyKind kind),
                  copy_rows_to(call, to, x, y, from, pitch, width, height, {kind, stream, is_asynchronous}))
GPULAB_ENTRY_PAIR(cudaMemcpy2DFromArray,
                  (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                   size_t height, cudaMemcpyKind kind),
                  copy_rows_from(call, to, pitch, from, x, y, width, height, {kind, stream, is_asynchronous}))
GPULAB_ENTRY(cudaMemcpy2DArrayToArray,
             (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
              size_t width, size_t height, cudaMemcpyKind kind),
             copy_between_arrays(call, to, to_x, to_y, from, from_x, from_y, width, height, kind))
