// What a BlockChecker makes of an address that is in none of the launch's memory.
#include <sys/mman.h>
#include <unistd.h>

#include "device/simulator/check/block_checker.hpp"

namespace gpulab {
namespace {

constexpr std::uintptr_t stack_bytes = 64 * 1024;  // of a thread
// How far out of bounds an address still says what it was meant to be an element of.
constexpr std::uintptr_t near_allocation = std::uintptr_t{64} << 20, near_variable = 4096, near_shared = 4096;

// Whether this process has memory there.
bool is_mapped(std::uintptr_t address) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  unsigned char is_resident = 0;
  return ::mincore(reinterpret_cast<void*>(address / page * page), 1, &is_resident) == 0;
}

std::uintptr_t distance(std::uintptr_t address, const AddressRange& range) {
  if (address < range.begin) return range.begin - address;
  return address - range.begin < range.bytes ? 0 : address - range.begin - range.bytes;
}

}  // namespace

// A local variable lies further up the stack than this function's own frame.
inline bool BlockChecker::is_own_stack(const MemoryAccess& access) const {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return access.address - frame < stack_bytes;
}

BlockChecker::Verdict BlockChecker::at_stranger(unsigned thread, const MemoryAccess& access) {
  if (is_own_stack(access)) return Verdict::go_on;
  if (access.operation == MemoryAccess::Operation::load && watch_.module_image().contains(access.address))
    return Verdict::go_on;
  FoundDefect defect = found(DefectKind::out_of_bounds, thread, access, nullptr);
  if (distance(access.address, shared_.memory()) < near_shared) {
    defect.kind = DefectKind::shared_out_of_bounds;
    return stop_with(defect);
  }
  const WatchedRegion* const near = nearest_region(access.address);
  defect.memory = near ? near->allowed : AddressRange{};
  defect.variable = near ? near->variable : "";
  if (!near && is_mapped(access.address)) defect.kind = DefectKind::host_pointer;
  return stop_with(defect);
}

// None when the address is beyond the no man's land around every one.
const WatchedRegion* BlockChecker::nearest_region(std::uintptr_t address) const {
  const WatchedRegion* nearest = nullptr;
  for (const WatchedRegion& region : watch_.regions()) {
    const std::uintptr_t reach = region.variable[0] == '\0' ? near_allocation : near_variable;
    const std::uintptr_t here = distance(address, region.allowed);
    if (here < reach && (!nearest || here < distance(address, nearest->allowed))) nearest = &region;
  }
  return nearest;
}

}  // namespace gpulab
