#include "simulator/memory.hpp"

#include <sys/mman.h>

#include "device/host.hpp"

namespace gpulab::simulator {
namespace {

// On both sides of every allocation, so that a wild index faults instead of reaching somebody else's array.
constexpr std::size_t no_mans_land = std::size_t{64} << 20;

void unmap(device::DevicePointer pointer, std::size_t bytes) {
  ::munmap(reinterpret_cast<char*>(pointer) - no_mans_land, bytes + 2 * no_mans_land);
}

}  // namespace

SimulatedMemory::~SimulatedMemory() {
  for (const auto& [address, bytes] : allocations_) unmap(address, bytes);
}

count::AddressRange SimulatedMemory::allocate(std::size_t bytes) {
  if (bytes > device::free_host_memory_bytes())
    throw device::DeviceError("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY",
                              std::to_string(bytes) + " bytes are more than this machine has free");
  void* reserved = ::mmap(nullptr, bytes + 2 * no_mans_land, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char* memory = static_cast<char*>(reserved) + no_mans_land;
  if (reserved == MAP_FAILED || ::mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0)
    throw device::DeviceError("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY", std::to_string(bytes) + " bytes");
  const auto pointer = reinterpret_cast<device::DevicePointer>(memory);
  allocations_[pointer] = bytes;
  return {pointer, bytes};
}

void SimulatedMemory::free(device::DevicePointer pointer) noexcept {
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) return;
  unmap(pointer, found->second);
  allocations_.erase(found);
}

std::vector<count::AddressRange> SimulatedMemory::allocations() const {
  std::vector<count::AddressRange> ranges;
  for (const auto& [address, bytes] : allocations_) ranges.push_back({address, bytes});
  return ranges;
}

}  // namespace gpulab::simulator
