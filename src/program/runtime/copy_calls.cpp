#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "program/runtime/call.hpp"
#include "program/runtime/copies.hpp"
#include "source/code.hpp"

// Functions of the runtime API that copy and set memory.

namespace gpulab::program::runtime {
namespace {

using simulator::StreamOp;

cudaError_t copy_padded_rows(const Call& call, void* to, std::size_t to_pitch, const void* from,
                             std::size_t from_pitch, std::size_t width, std::size_t height,
                             cudaMemcpyKind kind, cudaStream_t stream, bool is_asynchronous) {
  if (width > to_pitch || width > from_pitch)
    return call.fail(cudaErrorInvalidPitchValue, "a row is wider than the pitch");
  return queue_copy(describe_row_copy(call, to, to_pitch, from, from_pitch, width, height, kind), stream,
                    is_asynchronous);
}

cudaError_t copy_to_peer(const Call& call, void* to, int to_device, const void* from, int from_device,
                         std::size_t bytes, cudaStream_t stream, bool is_asynchronous) {
  for (const int device : {to_device, from_device})
    if (const cudaError_t error = check_device(call, device)) return error;
  return queue_copy(describe_copy(call, to, from, bytes, cudaMemcpyDefault), stream, is_asynchronous);
}

bool is_variable(const Call& call, const void* symbol) {
  return call.runtime().module()->variable_at(address_of(symbol)).has_value();
}

cudaError_t report_no_variable(const Call& call) {
  const source::Code& code = call.runtime().code();
  const SourcePlace place = place_of(call.site());
  std::string name;  // in quotes
  for (auto [at, end] = code.line(place.line); at < end; ++at)
    if (code.text(at).starts_with('"') && place.file.empty()) name = code.text(at);
  return call.defect(
      cudaErrorInvalidSymbol, "invalid-symbol",
      std::string(call.name()) + " is given something that is not a __constant__ or __device__ variable",
      name.size() > 2 ? fmt::format("{} without the quotes", name.substr(1, name.size() - 2)) : "");
}

cudaError_t copy_to_symbol(const Call& call, const void* symbol, std::size_t offset, const void* from,
                           std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                           bool is_asynchronous) {
  if (!is_variable(call, symbol)) return report_no_variable(call);
  char* const to = static_cast<char*>(const_cast<void*>(symbol)) + offset;
  return queue_copy(describe_copy(call, to, from, bytes, kind), stream, is_asynchronous);
}

cudaError_t copy_from_symbol(const Call& call, void* to, const void* symbol, std::size_t offset,
                             std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                             bool is_asynchronous) {
  if (!is_variable(call, symbol)) return report_no_variable(call);
  const char* const from = static_cast<const char*>(symbol) + offset;
  return queue_copy(describe_copy(call, to, from, bytes, kind), stream, is_asynchronous);
}

cudaError_t give_symbol_address(const Call& call, void** address, const void* symbol) {
  if (!is_variable(call, symbol))
    return call.fail(cudaErrorInvalidSymbol, "that is not a __constant__ or __device__ variable");
  call.runtime().note_address_of(symbol);
  return give(address, const_cast<void*>(symbol));
}

// One side of a 3D copy: an array, where positions count elements, or memory, where they count bytes.
struct BoxSide {
  const Array* array;
  cudaArray_t handle;
  cudaPos position;
  const cudaPitchedPtr& memory;

  std::size_t element_bytes() const { return array ? array->texels.format.bytes() : 1; }
};

cudaError_t slice_of(const Call& call, const BoxSide& side, std::size_t z, std::size_t width,
                     std::size_t height, std::size_t depth, RowsAt& rows) {
  if (side.handle)
    return rows_in_array(call, side.handle, side.position.x * side.element_bytes(), side.position.y,
                         side.position.z + z, width, height, depth - z, rows);
  const std::size_t row = (side.position.z + z) * side.memory.ysize + side.position.y;
  rows = {address_of(side.memory.ptr) + row * side.memory.pitch + side.position.x, side.memory.pitch};
  return cudaSuccess;
}

}  // namespace

cudaError_t queue_box_copy(const Call& call, const cudaMemcpy3DParms& what, cudaStream_t stream,
                           bool is_asynchronous) {
  const Textures& textures = call.runtime().textures();
  const BoxSide to{textures.array(what.dstArray), what.dstArray, what.dstPos, what.dstPtr};
  const BoxSide from{textures.array(what.srcArray), what.srcArray, what.srcPos, what.srcPtr};
  const std::size_t width = what.extent.width * std::max(to.element_bytes(), from.element_bytes());
  for (std::size_t z = 0; z < what.extent.depth; ++z) {
    RowsAt to_rows, from_rows;
    if (const auto error = slice_of(call, to, z, width, what.extent.height, what.extent.depth, to_rows))
      return error;
    if (const auto error = slice_of(call, from, z, width, what.extent.height, what.extent.depth, from_rows))
      return error;
    if (const auto error = queue_row_copy(call, to_rows, from_rows, width, what.extent.height,
                                          {what.kind, stream, is_asynchronous}))
      return error;
  }
  return cudaSuccess;
}

namespace {

// Returns whether a memset to this byte is usual: to 0, or to a byte that makes floats very large or NaN.
bool is_usual_byte(int value) {
  const int byte = value & 0xFF;
  return byte == 0 || byte == 0xFF || byte == 0x7F || byte == 0xFE;
}

// A memset of rows of bytes.
struct Memset {
  void* to;
  std::size_t pitch;
  int value;
  std::size_t width, height;
  cudaStream_t stream = nullptr;
  bool is_asynchronous = false;
  bool is_of_integers = false;  // by the type of its pointer
  std::size_t element_bytes = 1;
};

// Queues a memset. Even a synchronous one returns at once, unless the host can access the memory. A kernel
// that reads an unusual value before anything overwrites it gets a finding.
cudaError_t queue_row_set(const Call& call, const Memset& set, Stream& stream) {
  if (set.width == 0 || set.height == 0) return cudaSuccess;
  const Copy shape{call,
                   endpoint_at(call, set.to, /*is_destination=*/true),
                   {},
                   cudaMemcpyDefault,
                   {set.width, set.height, set.pitch, 0}};
  if (const cudaError_t error = check_endpoint(shape, shape.to)) return error;
  if (!shape.to.can_be_device())
    return call.defect(cudaErrorInvalidValue, "wrong-direction",
                       std::string(call.name()) + " is given host memory",
                       "memset(...) for memory of the host");
  if (const cudaError_t error = check_endpoint_size(shape, shape.to, shape.rows.to_span())) return error;
  if (const Allocation* const memory = shape.to.allocation;
      memory && memory->kind == MemoryKind::device &&
      !call.runtime().machine().can_access(stream.device, memory->device))
    return call.defect(
        cudaErrorInvalidValue, "no-peer-access",
        fmt::format(
            "{} in a stream of device {} sets memory of device {}, to which device {} has no peer access",
            call.name(), stream.device, memory->device, stream.device),
        "cudaSetDevice(" + std::to_string(memory->device) + ") before it", {allocated_at(*memory)});
  report_size_of_pointer(shape);
  simulator::Machine& machine = call.runtime().machine();
  const std::uintptr_t begin = shape.to.begin;
  constexpr int largest = 50;  // small numbers are no patterns of bits
  const bool has_ints = shape.to.allocation && shape.to.allocation->element_bytes == sizeof(int);
  const bool is_of_bytes = set.element_bytes == 1;
  const bool is_unusual = !is_of_bytes         ? false
                          : set.is_of_integers ? has_ints && 0 < set.value && set.value <= largest
                                               : set.value == -1 || !is_usual_byte(set.value);
  const int unusual_value = !is_unusual ? 0 : set.value == -1 ? -1 : set.value & 0xFF;
  const Allocation::Write write{
      begin,         begin + shape.rows.to_span(), call.name(),           call.site(),
      unusual_value, set.is_of_integers,           call.runtime().calls()};
  call.runtime().allocations().add_write(write);
  if (is_unusual && shape.to.is_of_host()) call.runtime().add(finding_of_value(write));
  const bool is_reported_if_read = is_unusual && !shape.to.is_of_host() && call.runtime().is_watching();
  const std::vector<MemoryUse> uses{{{begin, shape.rows.to_span()}, DefectAccess::store}};
  call.runtime().begin_node(stream, cudaGraphNodeTypeMemset);
  call.runtime().put(stream, call.site(),
                     [=, &machine, &runtime = call.runtime(), device = stream.device, name = call.name(),
                      site = call.site()](const StreamOp& op) {
                       if (!runtime.check_not_freed(uses, name, site)) return;
                       machine.begin_work(op, machine.name_of_work(device, "memset"), uses);
                       for (std::size_t row = 0; row < set.height; ++row) {
                         const std::uintptr_t row_begin = begin + row * set.pitch;
                         machine.set(row_begin, static_cast<unsigned char>(set.value), set.width);
                         for (std::size_t at = 0; !is_of_bytes && at < set.width; at += set.element_bytes)
                           std::memcpy(reinterpret_cast<void*>(row_begin + at), &set.value,
                                       set.element_bytes);
                         if (is_of_bytes && (set.value & 0xFF) == 0xFE)
                           runtime.note_unset_pattern(row_begin, set.width);
                         if (is_reported_if_read)
                           machine.checked().memory().mark_uninitialised({row_begin, set.width});
                       }
                     });
  call.runtime().timeline().add_work(
      {TimelineEntry::Kind::other, call.name(), stream.number, set.width * set.height}, call.site());
  return !set.is_asynchronous && !stream.captured && shape.to.is_of_host()
             ? call.runtime().synchronize(stream)
             : cudaSuccess;
}

cudaError_t queue_row_set(const Call& call, const Memset& set) {
  return call.with(set.stream, [&](Stream& stream) { return queue_row_set(call, set, stream); });
}

cudaError_t set_bytes(const Call& call, void* to, int value, std::size_t bytes, bool is_of_integers,
                      cudaStream_t stream, bool is_asynchronous) {
  return queue_row_set(call,
                       {to, bytes, value, bytes, /*height=*/1, stream, is_asynchronous, is_of_integers});
}

cudaError_t set_box(const Call& call, const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  for (std::size_t z = 0; z < extent.depth; ++z)
    if (const cudaError_t error = queue_row_set(call, {static_cast<char*>(to.ptr) + z * to.ysize * to.pitch,
                                                       to.pitch, value, extent.width, extent.height}))
      return error;
  return cudaSuccess;
}

}  // namespace

cudaError_t queue_row_set(const Call& call, void* to, std::size_t pitch, int value, std::size_t width,
                          std::size_t height, cudaStream_t stream, std::size_t element_bytes) {
  return queue_row_set(call, {to, pitch, value, width, height, stream, /*is_asynchronous=*/true,
                              /*is_of_integers=*/false, element_bytes});
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

GPULAB_ENTRY_PAIR(cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
                  queue_copy(describe_copy(call, to, from, bytes, kind), stream, is_asynchronous))
GPULAB_ENTRY_PAIR(cudaMemcpyPeer, (void* to, int to_device, const void* from, int from_device, size_t bytes),
                  copy_to_peer(call, to, to_device, from, from_device, bytes, stream, is_asynchronous))
GPULAB_ENTRY_PAIR(cudaMemcpy2D,
                  (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                   size_t height, cudaMemcpyKind kind),
                  copy_padded_rows(call, to, to_pitch, from, from_pitch, width, height, kind, stream,
                                   is_asynchronous))
GPULAB_ENTRY_PAIR(cudaMemcpy3D, (const cudaMemcpy3DParms* what),
                  queue_box_copy(call, *what, stream, is_asynchronous))
GPULAB_ENTRY_NAMED(gpulab_copy_to_symbol, cudaMemcpyToSymbol,
                   (const void* symbol, size_t, const void* from, size_t bytes, size_t offset,
                    cudaMemcpyKind kind, int is_asynchronous, cudaStream_t stream),
                   copy_to_symbol(call, symbol, offset, from, bytes, kind, stream, is_asynchronous))
GPULAB_ENTRY_NAMED(gpulab_copy_from_symbol, cudaMemcpyFromSymbol,
                   (void* to, const void* symbol, size_t, size_t bytes, size_t offset, cudaMemcpyKind kind,
                    int is_asynchronous, cudaStream_t stream),
                   copy_from_symbol(call, to, symbol, offset, bytes, kind, stream, is_asynchronous))
GPULAB_ENTRY_NAMED(gpulab_symbol_address, cudaGetSymbolAddress, (void** address, const void* symbol),
                   give_symbol_address(call, address, symbol))

GPULAB_ENTRY_NAMED(gpulab_set, cudaMemset, (void* to, int value, size_t bytes, int is_of_integers),
                   set_bytes(call, to, value, bytes, is_of_integers, nullptr, /*is_asynchronous=*/false))
GPULAB_ENTRY_NAMED(gpulab_set_async, cudaMemsetAsync,
                   (void* to, int value, size_t bytes, cudaStream_t stream, int is_of_integers),
                   set_bytes(call, to, value, bytes, is_of_integers, stream, /*is_asynchronous=*/true))
GPULAB_ENTRY_PAIR(cudaMemset2D, (void* to, size_t pitch, int value, size_t width, size_t height),
                  queue_row_set(call, {to, pitch, value, width, height, stream, is_asynchronous}))
GPULAB_ENTRY(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent extent),
             set_box(call, to, value, extent))
