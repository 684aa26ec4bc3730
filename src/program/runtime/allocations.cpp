#include "program/runtime/allocations.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <algorithm>
#include <map>
#include <string>

#include "base/text.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "source/bounds.hpp"

namespace gpulab::program::runtime {

std::string Allocation::name() const {
  return fmt::format("the {} bytes that {} gave in {}", grouped(bytes), call, text_of(place_of(site)));
}

std::string Allocation::name_of(std::uintptr_t address) const {
  const bool has_elements = element_bytes > 1 && bytes % element_bytes == 0;
  const std::size_t elements = has_elements ? bytes / element_bytes : 0;
  const std::size_t before = address < begin ? begin - address : 0;
  const std::string index = before > 0 && has_elements && before % element_bytes == 0
                                ? fmt::format("; this would be element -{}", grouped(before / element_bytes))
                                : "";
  const std::string count =
      fmt::format(" ({} element{}{})", grouped(elements), elements == 1 ? "" : "s", index);
  const std::string full_name = name() + (has_elements ? count : "");
  if (before > 0) return grouped(before) + " bytes before " + full_name;
  const std::size_t offset = address - begin;
  if (offset < bytes)
    return has_elements && offset % element_bytes == 0
               ? fmt::format("element {} of {}", grouped(offset / element_bytes), full_name)
               : fmt::format("byte {} of {}", grouped(offset), full_name);
  return (offset == bytes ? std::string("just") : grouped(offset - bytes) + " bytes") + " past the end of " +
         full_name;
}

ProgramFinding::Other allocated_at(const Allocation& memory, const std::string& more) {
  return {place_of(memory.site), fmt::format("allocated by {} here{}", memory.call, more)};
}

void Allocations::add_write(const Allocation::Write& write) {
  constexpr std::size_t max_kept = 16;
  Allocation* const memory = containing(write.begin);
  if (!memory) return;
  std::vector<Allocation::Write>& writes = memory->writes;
  if (writes.size() >= max_kept) writes.erase(writes.begin());
  writes.push_back(write);
}

const Allocation::Write* Allocations::unusual_set_at(std::uintptr_t address) const {
  const Allocation* const memory = at(address);
  if (!memory) return nullptr;
  const auto last = std::ranges::find_if(
      memory->writes.rbegin(), memory->writes.rend(),
      [&](const Allocation::Write& write) { return write.begin <= address && address < write.end; });
  return last != memory->writes.rend() && last->unusual_value ? &*last : nullptr;
}

const char* Allocation::freeing_function() const {
  if (is_array) return "cudaFreeArray";
  if (std::string_view(call).starts_with("thrust::"))
    return call == std::string_view("thrust::device_malloc") ? "thrust::device_free" : "delete";
  if (kind == MemoryKind::pinned) return "cudaFreeHost";
  return kind == MemoryKind::registered ? "cudaHostUnregister" : "cudaFree";
}

// Forgets earlier allocations at these addresses.
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
  constexpr std::uintptr_t max_distance = std::uintptr_t{64} << 20;
  const auto after = all_.upper_bound(address);
  if (after != all_.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (address - before.begin < before.bytes + max_distance) return &before;
  }
  return after != all_.end() && after->first - address < max_distance ? &after->second : nullptr;
}

void Allocations::mark_freed(std::uintptr_t begin, Site site, std::size_t call) {
  const auto found = all_.find(begin);
  if (found == all_.end()) return;
  found->second.is_freed = true;
  found->second.freed = site;
  found->second.freed_by_call = call;
}

cudaError_t Runtime::allocate(Allocation wanted, void** memory, const char* call) {
  if (!memory) return fail(cudaErrorInvalidValue, call, wanted.site, "the pointer for the address is null");
  *memory = nullptr;
  if (wanted.bytes == 0) return cudaSuccess;
  try {
    wanted.begin = machine_->allocate(
        wanted.bytes, wanted.kind == MemoryKind::device ? wanted.device : simulator::Machine::every_device);
  } catch (const device::DeviceError& error) {
    return fail(cudaErrorMemoryAllocation, call, wanted.site, error.explanation());
  }
  if (wanted.kind != MemoryKind::device)
    machine_->checked().memory().mark_written({wanted.begin, wanted.bytes});
  wanted.call = call;
  if (wanted.element_bytes == 0 && wanted.pitch == 0 && !wanted.is_array && is_watching()) {
    static std::map<std::uintptr_t, std::size_t> known;  // by the call, which may have a cast to void**
    const auto [found, is_new] = known.try_emplace(wanted.site.pc, 0);
    if (const SourcePlace place = is_new ? place_of(wanted.site) : SourcePlace{};
        place.file.empty() && is_new)
      found->second = source::element_bytes_of(code_, call, place.line);
    wanted.element_bytes = found->second;
  }
  allocations_.add(wanted);
  if (wanted.kind != MemoryKind::device || has_thrust_) watch_host_accesses();
  if (wanted.kind == MemoryKind::device && open_scopes_ == 0 && !has_thrust_)
    ::mprotect(reinterpret_cast<void*>(wanted.begin), wanted.bytes, PROT_NONE);
  *memory = reinterpret_cast<void*>(wanted.begin);
  return cudaSuccess;
}

// Joins the allocations of one line into one finding, which lists their sizes if they are few.
void Runtime::add_leaks_of_memory() {
  constexpr std::size_t max_listed = 4;
  std::vector<const Allocation*> leaks;
  for (const auto& [begin, allocation] : allocations_.all())
    if (!allocation.is_freed && !allocation.is_freed_wrongly && allocation.kind != MemoryKind::registered)
      leaks.push_back(&allocation);
  while (!leaks.empty()) {
    const Allocation& first = *leaks.front();
    const auto others = std::stable_partition(leaks.begin(), leaks.end(), [&](const Allocation* leak) {
      return place_of(leak->site) == place_of(first.site) && std::string_view(leak->call) == first.call;
    });
    const std::vector<const Allocation*> alike(leaks.begin(), others);
    leaks.erase(leaks.begin(), others);
    std::size_t bytes = 0;
    std::string sizes, calls;
    for (const Allocation* leak : alike) {
      bytes += leak->bytes;
      sizes += (sizes.empty() ? "" : " + ") + grouped(leak->bytes);
    }
    if (alike.size() > 1) calls = " in " + grouped(alike.size()) + " calls";
    if (alike.size() > 1 && alike.size() <= max_listed) calls += " (" + sizes + ")";
    add({.pattern = "memory-leak",
         .place = place_of(first.site),
         .text = fmt::format("{} bytes that {} gave{} are never freed", grouped(bytes), first.call, calls),
         .correction = std::string(first.freeing_function()) + "(...) when they are no longer needed",
         .count = alike.size()});
  }
}

// Keeps the addresses reserved for a while, so that a use after free is recognised.
void Runtime::free(const Allocation& allocation, Site site) {
  wait_for_helper();
  constexpr std::size_t max_kept = 256;
  const Allocation freed = allocation;
  look_for_unread_result(freed);
  allocations_.mark_freed(freed.begin, site, calls_);
  if (!is_watching()) return machine_->free(freed.begin);
  machine_->checked().memory().mark_guard({freed.begin, freed.bytes});
  ::mprotect(reinterpret_cast<void*>(freed.begin), freed.bytes, PROT_READ | PROT_WRITE);
  ::madvise(reinterpret_cast<void*>(freed.begin), freed.bytes, MADV_DONTNEED);
  ::mprotect(reinterpret_cast<void*>(freed.begin), freed.bytes, PROT_NONE);
  freed_.push_back(freed);
  if (freed_.size() <= max_kept) return;
  machine_->free(freed_.front().begin);
  freed_.pop_front();
}

void Runtime::note_chunks(const Allocation& allocation) {
  allocations_.containing(allocation.begin)->is_copied_in_chunks = true;
  std::erase_if(findings_, [&](const ProgramFinding& finding) {
    return finding.premise == ProgramFinding::Premise::size_is_not_in_bytes &&
           finding.others.front().place == place_of(allocation.site);
  });
}

// Functions of the runtime API that allocate and free memory.

namespace {

cudaError_t allocate(const Call& call, MemoryKind kind, void** memory, std::size_t bytes,
                     std::size_t element_bytes = 0) {
  return call.runtime().allocate({.bytes = bytes,
                                  .kind = kind,
                                  .device = call.runtime().current_device(),
                                  .site = call.site(),
                                  .element_bytes = element_bytes},
                                 memory, call.name());
}

// Checks that this call, which frees memory of that kind, may free the memory. Reports a defect if not.
cudaError_t check_free(const Call& call, const void* memory, MemoryKind kind) {
  const bool is_of_host = kind == MemoryKind::pinned;
  const std::string name = call.name();
  const auto address = address_of(memory);
  Allocation* const found = call.runtime().allocations().containing(address);
  if (!found)
    return call.defect(
        cudaErrorInvalidValue, "foreign-free",
        name + " is given an address that the runtime did not allocate" +
            (is_of_host ? "" : ": host memory, or an uninitialised pointer"),
        is_of_host ? "free(...) for what malloc gave" : "free(...) or delete for memory of the host");
  const ProgramFinding::Other given = allocated_at(*found);
  if (found->is_freed)
    return call.defect(
        cudaErrorInvalidValue, "double-free",
        fmt::format(
            "{} frees {} {}", name, found->name(),
            found->freed.pc == 0 ? "after cudaDeviceReset, which has freed all memory" : "a second time"),
        call.runtime().is_in_destructor(call.site())
            ? "Type(const Type&) = delete: a copy of the object frees the memory in its destructor, too"
            : "free it once; set the pointer to nullptr",
        {given, {place_of(found->freed), "it was freed here"}});
  found->is_freed_wrongly = true;
  if (found->begin != address)
    return call.defect(cudaErrorInvalidValue, "foreign-free",
                       fmt::format("{} is given an address {} bytes into {}", name,
                                   grouped(address - found->begin), found->name()),
                       fmt::format("{}(the pointer as {} gave it)", name, found->call), {given});
  if (is_of_host != (found->kind == MemoryKind::pinned) || found->is_array != (name == "cudaFreeArray"))
    return call.defect(cudaErrorInvalidValue, "foreign-free", name + " is given " + found->name(),
                       std::string(found->freeing_function()) + "(...)", {given});
  found->is_freed_wrongly = false;
  return cudaSuccess;
}

cudaError_t free_memory(const Call& call, void* memory, MemoryKind kind) {
  if (!memory) return cudaSuccess;
  if (const cudaError_t error = check_free(call, memory, kind)) return error;
  const Allocation allocation = *call.runtime().allocations().at(memory);
  if (!call.runtime().machine().order()->has_host_waited()) call.runtime().timeline().host_waits_implicitly();
  const cudaError_t error = call.runtime().synchronize_all(allocation.device);  // as cudaFree does
  call.runtime().free(allocation, call.site());
  return error;
}

// The handle of an array is the address of its memory.
cudaError_t free_array(const Call& call, cudaArray_t array) {
  const cudaError_t error = free_memory(call, array, MemoryKind::device);
  if (!error) call.runtime().textures().remove_array(array);
  return error;
}

// Frees in stream order: work that was queued before can still use the memory.
cudaError_t free_in_stream(const Call& call, void* memory, cudaStream_t handle) {
  return call.with(handle, [&](Stream& stream) {
    if (!memory) return cudaSuccess;
    if (const cudaError_t error = check_free(call, memory, MemoryKind::device)) return error;
    call.runtime().order_with_default(stream);
    const cudaError_t error = call.runtime().run_device_work([&] { stream.queue->run(); });
    call.runtime().free(*call.runtime().allocations().at(memory), call.site());
    return error;
  });
}

// Allocates in the order of a stream: work of another stream that uses the memory has to come after it.
cudaError_t allocate_in_stream(const Call& call, void** memory, std::size_t bytes, cudaStream_t handle) {
  return call.with(handle, [&](Stream& stream) {
    if (const cudaError_t error = allocate(call, MemoryKind::device, memory, bytes)) return error;
    if (stream.captured || bytes == 0) return cudaSuccess;
    simulator::Machine& machine = call.runtime().machine();
    const std::vector<MemoryUse> uses{{{address_of(*memory), bytes}, DefectAccess::store}};
    call.runtime().put(stream, call.site(),
                       [=, &machine, device = stream.device](const simulator::StreamOp& op) {
                         machine.begin_work(op, machine.name_of_work(device, "cudaMallocAsync"), uses);
                       });
    return cudaSuccess;
  });
}

cudaError_t allocate_managed(const Call& call, void** memory, std::size_t bytes, std::size_t element_bytes) {
  if (bytes == 0) return call.fail(cudaErrorInvalidValue, "the size is 0 bytes");
  return allocate(call, MemoryKind::managed, memory, bytes, element_bytes);
}

constexpr std::size_t row_alignment = 512;

std::size_t pitch_of(std::size_t width) {
  return (width + row_alignment - 1) / row_alignment * row_alignment;
}

cudaError_t allocate_rows(const Call& call, void** memory, std::size_t* pitch, std::size_t width,
                          std::size_t height) {
  *pitch = pitch_of(width);
  return call.runtime().allocate({.bytes = *pitch * height,
                                  .kind = MemoryKind::device,
                                  .device = call.runtime().current_device(),
                                  .site = call.site(),
                                  .pitch = *pitch,
                                  .width = width},
                                 memory, call.name());
}

cudaError_t allocate_box(const Call& call, cudaPitchedPtr* memory, cudaExtent extent) {
  *memory = {nullptr, pitch_of(extent.width), extent.width, extent.height};
  return allocate(call, MemoryKind::device, &memory->ptr, memory->pitch * extent.height * extent.depth);
}

// Stores the handle of the device's only memory pool, which keeps no freed memory.
cudaError_t give_pool(const Call& call, cudaMemPool_t* pool, int device) {
  if (device < 0 || device >= call.runtime().device_count())
    return call.fail(cudaErrorInvalidDevice, "there is no such device");
  return give(pool, reinterpret_cast<cudaMemPool_t>(&call.runtime().device(device)));
}

// Returns 0 for the threshold and the sizes, which have 64 bits, and 1 for the ints that allow reuse.
cudaError_t give_pool_attribute(cudaMemPoolAttr attribute, void* value) {
  return attribute >= cudaMemPoolAttrReleaseThreshold ? give(static_cast<unsigned long long*>(value), 0)
                                                      : give(static_cast<int*>(value), 1);
}

cudaError_t page_lock(const Call& call, void* memory, std::size_t bytes) {
  if (!memory || bytes == 0) return call.fail(cudaErrorInvalidValue, "there is no memory to page-lock");
  Runtime& runtime = call.runtime();
  if (const Allocation* const known = runtime.allocations().at(memory); known && !known->is_freed)
    return call.fail(cudaErrorHostMemoryAlreadyRegistered, "it is page-locked already");
  const Allocation allocation{.begin = address_of(memory),
                              .bytes = bytes,
                              .kind = MemoryKind::registered,
                              .device = runtime.current_device(),
                              .call = "cudaHostRegister",
                              .site = call.site()};
  runtime.allocations().add(allocation);
  runtime.machine().checked().memory().add({allocation.begin, bytes}, simulator::Machine::every_device);
  runtime.machine().checked().memory().mark_written({allocation.begin, bytes});
  runtime.watch_host_accesses();
  return cudaSuccess;
}

cudaError_t unlock_pages(const Call& call, void* memory) {
  Runtime& runtime = call.runtime();
  const Allocation* const known = runtime.allocations().at(memory);
  if (!known || known->kind != MemoryKind::registered || known->begin != address_of(memory))
    return call.fail(cudaErrorHostMemoryNotRegistered, "cudaHostRegister was never given that address");
  const cudaError_t error = runtime.synchronize_all(known->device);
  runtime.machine().checked().free(known->begin);
  runtime.allocations().remove(known->begin);
  runtime.watch_host_accesses();
  return error;
}

cudaError_t give_device_pointer(const Call& call, void** device, void* host) {
  const Allocation* const found = call.runtime().allocations().at(host);
  if (!found || found->is_freed || !found->is_of_host())
    return call.fail(cudaErrorInvalidValue,
                     "that memory is neither from cudaHostAlloc nor page-locked by cudaHostRegister");
  return give(device, host);
}

cudaError_t give_host_flags(const Call& call, unsigned* flags, void* host) {
  const Allocation* const found = call.runtime().allocations().at(host);
  if (!found || !found->is_of_host())
    return call.fail(cudaErrorInvalidValue, "that memory is not page-locked");
  return give(flags, cudaHostAllocMapped);
}

cudaError_t give_pointer_attributes(const Call& call, cudaPointerAttributes* attributes, const void* memory) {
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

cudaError_t give_memory_sizes(const Call& call, std::size_t* free, std::size_t* total) {
  const DeviceProperties& properties = call.runtime().device().properties();
  if (free) *free = properties.free_memory_bytes;
  if (total) *total = properties.memory_bytes;
  return cudaSuccess;
}

// cudaMalloc and cudaFree in a kernel. They use the memory of malloc() in kernels.
cudaError_t allocate_in_kernel(void** memory, std::size_t bytes, const void* pc) {
  *memory = simulator::schedule::scheduler_of_this_thread()->device_malloc(bytes, pc);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t free_in_kernel(void* memory, const void* pc) {
  auto& scheduler = *simulator::schedule::scheduler_of_this_thread();
  if (!scheduler.launch().heap->range().contains(address_of(memory))) return cudaErrorNotPermitted;
  scheduler.device_free(memory, pc);
  return cudaSuccess;
}

}  // namespace

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

GPULAB_ENTRY_ALSO_IN_KERNELS(gpulab_malloc_device, cudaMalloc,
                             (void** memory, size_t bytes, size_t element_bytes),
                             allocate_in_kernel(memory, bytes, __builtin_return_address(0)),
                             allocate(call, MemoryKind::device, memory, bytes, element_bytes))
GPULAB_ENTRY_NAMED(gpulab_malloc_managed, cudaMallocManaged,
                   (void** memory, size_t bytes, unsigned, size_t element_bytes),
                   allocate_managed(call, memory, bytes, element_bytes))
GPULAB_ENTRY_NAMED(gpulab_malloc_host, cudaMallocHost,
                   (void** memory, size_t bytes, unsigned, size_t element_bytes),
                   allocate(call, MemoryKind::pinned, memory, bytes, element_bytes))
GPULAB_ENTRY_NAMED(gpulab_host_alloc, cudaHostAlloc,
                   (void** memory, size_t bytes, unsigned, size_t element_bytes),
                   allocate(call, MemoryKind::pinned, memory, bytes, element_bytes))
GPULAB_ENTRY(cudaMallocPitch, (void** memory, size_t* pitch, size_t width, size_t height),
             allocate_rows(call, memory, pitch, width, height))
GPULAB_ENTRY(cudaMalloc3D, (cudaPitchedPtr * memory, cudaExtent extent), allocate_box(call, memory, extent))
GPULAB_ENTRY(cudaMallocAsync, (void** memory, size_t bytes, cudaStream_t stream),
             allocate_in_stream(call, memory, bytes, stream))
GPULAB_ENTRY_ALSO_IN_KERNELS(cudaFree, cudaFree, (void* memory),
                             free_in_kernel(memory, __builtin_return_address(0)),
                             free_memory(call, memory, MemoryKind::device))
GPULAB_ENTRY(cudaFreeHost, (void* memory), free_memory(call, memory, MemoryKind::pinned))
GPULAB_ENTRY(cudaFreeArray, (cudaArray_t array), free_array(call, array))
GPULAB_ENTRY(cudaFreeAsync, (void* memory, cudaStream_t stream), free_in_stream(call, memory, stream))
GPULAB_ENTRY(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device), give_pool(call, pool, device))
GPULAB_ENTRY(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), give_pool(call, pool, device))
GPULAB_ENTRY(cudaMemPoolSetAttribute, (cudaMemPool_t, cudaMemPoolAttr, void*), cudaSuccess)
GPULAB_ENTRY(cudaMemPoolGetAttribute, (cudaMemPool_t, cudaMemPoolAttr attribute, void* value),
             give_pool_attribute(attribute, value))
GPULAB_ENTRY(cudaMemPoolTrimTo, (cudaMemPool_t, size_t), cudaSuccess)
GPULAB_ENTRY(cudaHostRegister, (void* memory, size_t bytes, unsigned), page_lock(call, memory, bytes))
GPULAB_ENTRY(cudaHostUnregister, (void* memory), unlock_pages(call, memory))
GPULAB_ENTRY(cudaHostGetDevicePointer, (void** device, void* host, unsigned),
             give_device_pointer(call, device, host))
GPULAB_ENTRY(cudaHostGetFlags, (unsigned* flags, void* host), give_host_flags(call, flags, host))
GPULAB_ENTRY(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void* memory),
             give_pointer_attributes(call, attributes, memory))
GPULAB_ENTRY(cudaMemPrefetchAsync, (const void*, size_t, int, cudaStream_t stream),
             call.with(stream, [](const Stream&) { return cudaSuccess; }))
GPULAB_ENTRY(cudaMemAdvise, (const void*, size_t, cudaMemoryAdvise, int), cudaSuccess)
GPULAB_ENTRY(cudaMemGetInfo, (size_t * free, size_t* total), give_memory_sizes(call, free, total))

#pragma GCC visibility push(default)
extern "C" {

int gpulab_malloc_thrust(void** memory, size_t bytes, size_t element_bytes, const char* name) {
  Call call(name, __builtin_return_address(0), __builtin_frame_address(0));
  if (const cudaError_t pending_error = call.pending_error()) return pending_error;
  const bool is_managed = name == std::string_view("thrust::universal_vector");
  return call.finish(
      allocate(call, is_managed ? MemoryKind::managed : MemoryKind::device, memory, bytes, element_bytes));
}

int gpulab_free_thrust(void* memory, const char* name) {
  if (is_in_kernel()) return cudaErrorNotPermitted;
  Call call(name, __builtin_return_address(0), __builtin_frame_address(0));
  if (const cudaError_t pending_error = call.pending_error()) return pending_error;
  return call.finish(free_memory(call, memory, MemoryKind::device));
}

}  // extern "C"
#pragma GCC visibility pop
