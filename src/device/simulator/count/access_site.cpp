#include "device/simulator/count/access_site.hpp"

namespace gpulab {

std::optional<std::size_t> AccessSites::number_of(std::uintptr_t code, AccessKind kind, unsigned bytes) {
  const std::uint64_t key = std::uint64_t{code} << 8 | static_cast<unsigned>(kind) << 5 | bytes;
  std::size_t place = (key * 0x9E3779B97F4A7C15u) >> 32;
  for (;; ++place) {
    Slot& slot = slots_[place % slot_count];
    if (slot.key == key) return slot.site;
    if (slot.key != 0) continue;
    if (sites_.size() == most) return std::nullopt;
    slot = {key, static_cast<std::uint32_t>(sites_.size())};
    sites_.push_back({.code = code, .kind = kind, .bytes = bytes});
    return slot.site;
  }
}

}  // namespace gpulab
