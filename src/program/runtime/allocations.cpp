#include "program/runtime/allocations.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "program/runtime/call.hpp"

namespace gpulab::program::runtime {

std::string Allocation::name() const {
  return "the " + grouped(bytes) + " bytes that " + call + " gave in " + text_of(place_of(site));
}

std::string Allocation::name_of(std::uintptr_t address) const {
  const bool has_elements = element_bytes > 1 && bytes % element_bytes == 0;
  const std::string what =
      name() + (has_elements ? " (" + grouped(bytes / element_bytes) + " elements)" : "");
  if (address < begin) return grouped(begin - address) + " bytes before " + what;
  const std::size_t offset = address - begin;
  if (offset < bytes)
    return has_elements && offset % element_bytes == 0
               ? "element " + grouped(offset / element_bytes) + " of " + what
               : "byte " + grouped(offset) + " of " + what;
  return (offset == bytes ? std::string("just") : grouped(offset - bytes) + " bytes") + " past the end of " +
         what;
}

void Allocations::add_write(const Allocation::Write& write) {
  constexpr std::size_t most = 16;
  const auto after = all_.upper_bound(write.begin);
  if (after == all_.begin() || !std::prev(after)->second.contains(write.begin)) return;
  std::vector<Allocation::Write>& writes = std::prev(after)->second.writes;
  if (writes.size() >= most) writes.erase(writes.begin());
  writes.push_back(write);
}

const Allocation::Write* Allocations::set_at(std::uintptr_t address) const {
  const Allocation* const memory = at(address);
  if (!memory) return nullptr;
  const auto last = std::ranges::find_if(
      memory->writes.rbegin(), memory->writes.rend(),
      [&](const Allocation::Write& write) { return write.begin <= address && address < write.end; });
  return last != memory->writes.rend() && last->odd_value ? &*last : nullptr;
}

const char* Allocation::freed_by() const {
  if (is_array) return "cudaFreeArray";
  if (kind == MemoryKind::pinned) return "cudaFreeHost";
  return kind == MemoryKind::registered ? "cudaHostUnregister" : "cudaFree";
}

// What had these addresses before is forgotten.
void Allocations::add(const Allocation& allocation) {
  for (auto next = all_.lower_bound(allocation.begin);
       next != all_.end() && next->first < allocation.begin + allocation.bytes;)
    next = all_.erase(next);
  all_[allocation.begin] = allocation;
}

const Allocation* Allocations::at(std::uintptr_t address) const {
  const auto after = all_.upper_bound(address);
  if (after == all_.begin()) return nullptr;
  const Allocation& found = std::prev(after)->second;
  return found.contains(address) || found.begin == address ? &found : nullptr;
}

const Allocation* Allocations::near(std::uintptr_t address) const {
  constexpr std::uintptr_t far = std::uintptr_t{64} << 20;
  const auto after = all_.upper_bound(address);
  if (after != all_.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (address - before.begin < before.bytes + far) return &before;
  }
  return after != all_.end() && after->first - address < far ? &after->second : nullptr;
}

void Allocations::mark_copied_from(std::uintptr_t address) {
  const auto after = all_.upper_bound(address);
  if (after != all_.begin()) std::prev(after)->second.is_copied_from = true;
}

void Allocations::mark_freed(std::uintptr_t begin, Site site) {
  const auto found = all_.find(begin);
  if (found == all_.end()) return;
  found->second.is_freed = true;
  found->second.freed = site;
}

// The functions of the runtime API that give memory and take it back.

namespace {

cudaError_t allocate(Call& call, MemoryKind kind, void** memory, std::size_t bytes,
                     std::size_t element_bytes) {
  return call.runtime().allocate({.bytes = bytes,
                                  .kind = kind,
                                  .device = call.runtime().current_device(),
                                  .site = call.site(),
                                  .element_bytes = element_bytes},
                                 memory, call.name());
}

// What is wrong with freeing it by this call; success when nothing is.
cudaError_t objection_to_free(Call& call, const void* memory, bool is_of_host) {
  const std::string name = call.name();
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const Allocation* const found = call.runtime().allocations().at(address);
  if (!found)
    return call.defect(
        cudaErrorInvalidValue, "foreign-free",
        name + " is given an address that the runtime has not given" +
            (is_of_host ? "" : ": memory of the host, or a pointer without a value"),
        is_of_host ? "free(...) for what malloc gave" : "free(...) or delete for memory of the host");
  const ProgramFinding::Other given{place_of(found->site), std::string(found->call) + " gave it here"};
  if (found->is_freed)
    return call.defect(
        cudaErrorInvalidValue, "double-free", name + " frees " + found->name() + " a second time",
        "free it once; set the pointer to nullptr", {given, {place_of(found->freed), "it was freed here"}});
  if (found->begin != address)
    return call.defect(
        cudaErrorInvalidValue, "foreign-free",
        name + " is given an address " + grouped(address - found->begin) + " bytes into " + found->name(),
        name + "(the pointer as " + found->call + " gave it)", {given});
  if (is_of_host != (found->kind == MemoryKind::pinned) || found->is_array != (name == "cudaFreeArray"))
    return call.defect(cudaErrorInvalidValue, "foreign-free", name + " is given " + found->name(),
                       std::string(found->freed_by()) + "(...)", {given});
  return cudaSuccess;
}

cudaError_t free_memory(Call& call, void* memory, bool is_of_host) {
  if (!memory) return cudaSuccess;
  if (const cudaError_t error = objection_to_free(call, memory, is_of_host)) return error;
  const Allocation allocation = *call.runtime().allocations().at(memory);
  const cudaError_t error = call.runtime().synchronize_all(allocation.device);  // as cudaFree does
  call.runtime().free(allocation, call.site());
  return error;
}

constexpr std::size_t pitch_alignment = 512;

std::size_t pitch_of(std::size_t width) {
  return (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
}

}  // namespace

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

cudaError_t gpulab_malloc_device(void** memory, size_t bytes, size_t element_bytes) {
  GPULAB_CALL_BEGINS(cudaMalloc);
  return allocate(call, MemoryKind::device, memory, bytes, element_bytes);
}

cudaError_t gpulab_malloc_managed(void** memory, size_t bytes, unsigned, size_t element_bytes) {
  GPULAB_CALL_BEGINS(cudaMallocManaged);
  if (bytes == 0) return call.fail(cudaErrorInvalidValue, "it is asked for 0 bytes");
  return allocate(call, MemoryKind::managed, memory, bytes, element_bytes);
}

cudaError_t gpulab_malloc_host(void** memory, size_t bytes, unsigned, size_t element_bytes) {
  GPULAB_CALL_BEGINS(cudaMallocHost);
  return allocate(call, MemoryKind::pinned, memory, bytes, element_bytes);
}

cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
  GPULAB_CALL_BEGINS(cudaMallocPitch);
  *pitch = pitch_of(width);
  return call.runtime().allocate({.bytes = *pitch * height,
                                  .kind = MemoryKind::device,
                                  .device = call.runtime().current_device(),
                                  .site = call.site(),
                                  .pitch = *pitch,
                                  .width = width},
                                 memory, call.name());
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  GPULAB_CALL_BEGINS(cudaMalloc3D);
  *memory = {nullptr, pitch_of(extent.width), extent.width, extent.height};
  return allocate(call, MemoryKind::device, &memory->ptr, memory->pitch * extent.height * extent.depth, 0);
}

cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  GPULAB_CALL_BEGINS(cudaMallocAsync);
  return allocate(call, MemoryKind::device, memory, bytes, 0);
}

cudaError_t cudaFree(void* memory) {
  GPULAB_CALL_BEGINS(cudaFree);
  return free_memory(call, memory, false);
}

cudaError_t cudaFreeHost(void* memory) {
  GPULAB_CALL_BEGINS(cudaFreeHost);
  return free_memory(call, memory, true);
}

// The handle of an array is the address of its memory.
cudaError_t cudaFreeArray(cudaArray_t array) {
  GPULAB_CALL_BEGINS(cudaFreeArray);
  const cudaError_t error = free_memory(call, array, false);
  if (!error) call.runtime().textures().remove(array);
  return error;
}

// In the order of the stream; work that is put there before still finds it.
cudaError_t cudaFreeAsync(void* memory, cudaStream_t handle) {
  GPULAB_CALL_BEGINS(cudaFreeAsync);
  cudaError_t error = cudaSuccess;
  Stream* const stream = call.stream(handle, error);
  if (!stream || !memory) return error;
  if ((error = objection_to_free(call, memory, false))) return error;
  error = call.runtime().guarded([&] { stream->queue->run(); });
  call.runtime().free(*call.runtime().allocations().at(memory), call.site());
  return error;
}

// There is one pool for each device, and it keeps nothing.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  GPULAB_CALL_BEGINS(cudaDeviceGetDefaultMemPool);
  if (device < 0 || device >= call.runtime().device_count())
    return call.fail(cudaErrorInvalidDevice, "there is no such device");
  *pool = reinterpret_cast<cudaMemPool_t>(&call.runtime().device(device));
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  GPULAB_CALL_BEGINS(cudaMemPoolSetAttribute);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
  GPULAB_CALL_BEGINS(cudaMemPoolGetAttribute);
  if (attribute >= cudaMemPoolAttrReleaseThreshold)
    *static_cast<unsigned long long*>(value) = 0;
  else
    *static_cast<int*>(value) = 1;
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  GPULAB_CALL_BEGINS(cudaMemPoolTrimTo);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  GPULAB_CALL_BEGINS(cudaHostRegister);
  if (!memory || bytes == 0) return call.fail(cudaErrorInvalidValue, "there is no memory to page-lock");
  Runtime& runtime = call.runtime();
  if (const Allocation* const known = runtime.allocations().at(memory); known && !known->is_freed)
    return call.fail(cudaErrorHostMemoryAlreadyRegistered, "it is page-locked already");
  const Allocation allocation{.begin = reinterpret_cast<std::uintptr_t>(memory),
                              .bytes = bytes,
                              .kind = MemoryKind::registered,
                              .device = runtime.current_device(),
                              .call = "cudaHostRegister",
                              .site = call.site()};
  runtime.allocations().add(allocation);
  runtime.machine().checked().memory().add({allocation.begin, bytes}, allocation.device);
  runtime.machine().checked().memory().mark_written({allocation.begin, bytes});
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* memory) {
  GPULAB_CALL_BEGINS(cudaHostUnregister);
  Runtime& runtime = call.runtime();
  const Allocation* const known = runtime.allocations().at(memory);
  if (!known || known->kind != MemoryKind::registered ||
      known->begin != reinterpret_cast<std::uintptr_t>(memory))
    return call.fail(cudaErrorHostMemoryNotRegistered, "cudaHostRegister was never given that address");
  const cudaError_t error = runtime.synchronize_all(known->device);
  runtime.machine().checked().free(known->begin);
  runtime.allocations().remove(known->begin);
  return error;
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  GPULAB_CALL_BEGINS(cudaHostGetDevicePointer);
  const Allocation* const found = call.runtime().allocations().at(host);
  if (!found || found->is_freed || !found->is_of_host())
    return call.fail(cudaErrorInvalidValue,
                     "that is no memory that cudaHostAlloc gave or cudaHostRegister page-locked");
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  GPULAB_CALL_BEGINS(cudaHostGetFlags);
  const Allocation* const found = call.runtime().allocations().at(host);
  if (!found || !found->is_of_host())
    return call.fail(cudaErrorInvalidValue, "that is no page-locked memory");
  *flags = cudaHostAllocMapped;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  GPULAB_CALL_BEGINS(cudaPointerGetAttributes);
  *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(memory)};
  const Allocation* const found = call.runtime().allocations().at(memory);
  if (!found || found->is_freed) return cudaSuccess;
  void* const address = const_cast<void*>(memory);
  attributes->device = found->device;
  attributes->devicePointer = address;
  attributes->hostPointer = found->kind == MemoryKind::device ? nullptr : address;
  attributes->type = found->kind == MemoryKind::device    ? cudaMemoryTypeDevice
                     : found->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                          : cudaMemoryTypeHost;
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t handle) {
  GPULAB_CALL_BEGINS(cudaMemPrefetchAsync);
  cudaError_t error = cudaSuccess;
  call.stream(handle, error);
  return error;
}

cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) {
  GPULAB_CALL_BEGINS(cudaMemAdvise);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  GPULAB_CALL_BEGINS(cudaMemGetInfo);
  const gpulab::DeviceProperties& properties = call.runtime().device().properties();
  if (free) *free = properties.free_memory_bytes;
  if (total) *total = properties.memory_bytes;
  return cudaSuccess;
}
