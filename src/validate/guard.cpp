#include "validate/guard.hpp"

#include <algorithm>

namespace gpulab::validate {
namespace {

// Distances count from the array outwards; byte_at gives the byte at a distance.
template <class ByteAt>
std::optional<GuardHit> find_hit(GuardSide side, std::size_t length, ByteAt byte_at, std::byte pattern,
                                 std::size_t unit_bytes) {
  GuardHit hit{.side = side};
  for (std::size_t unit = 0; unit < length; unit += unit_bytes) {
    const std::size_t unit_end = std::min(unit + unit_bytes, length);
    bool changed = false;
    for (std::size_t distance = unit; distance < unit_end; ++distance)
      changed = changed || byte_at(distance) != pattern;
    if (!changed) continue;
    if (hit.bytes == 0) hit.offset = unit;
    hit.bytes += unit_end - unit;
  }
  return hit.bytes > 0 ? std::optional(hit) : std::nullopt;
}

}  // namespace

void fill_guard(std::span<std::byte> zone, std::byte pattern) {
  std::ranges::fill(zone, pattern);
}

std::optional<GuardHit> find_guard_hit(std::span<const std::byte> before, std::span<const std::byte> after,
                                       std::byte pattern, std::size_t unit_bytes) {
  const auto behind = [after](std::size_t distance) { return after[distance]; };
  if (const auto hit = find_hit(GuardSide::after, after.size(), behind, pattern, unit_bytes)) return hit;
  const auto in_front = [before](std::size_t distance) { return before[before.size() - 1 - distance]; };
  return find_hit(GuardSide::before, before.size(), in_front, pattern, unit_bytes);
}

}  // namespace gpulab::validate
