#pragma once

#include <cstddef>
#include <optional>
#include <span>

// Every buffer on the device lies between two guard zones of a known pattern. A zone that changed proves that
// a kernel wrote outside its array, also where the hardware lets that pass in silence.

namespace gpulab::validate {

// Of each zone. A multiple of 256, so that the array keeps the alignment of the allocation.
constexpr std::size_t guard_bytes = 16 * 1024;

// The byte that fills the zones of the n-th buffer of a launch. Neighbours differ: a kernel that copies past
// the end of its input into the zone of its output would otherwise put back what was there.
constexpr std::byte guard_pattern(std::size_t buffer = 0) {
  return static_cast<std::byte>(0xA0 + buffer % 16);
}

void fill_guard(std::span<std::byte> zone, std::byte pattern = guard_pattern());

enum class GuardSide { before, after };

struct GuardHit {
  GuardSide side = GuardSide::after;
  // Of the changed unit that is nearest to the array: bytes from the array's end to its first byte, or from
  // its last byte to the array's start. 0 is right next to the array.
  std::size_t offset = 0;
  std::size_t bytes = 0;  // of all changed units
};

// The zones as they were read back, in the order of their addresses; the end of `before` touches the array
// and so does the start of `after`. Counts whole units of unit_bytes (the array's element), because single
// bytes of a written value may equal the pattern by chance. A hit behind the array is told before one in
// front of it.
std::optional<GuardHit> find_guard_hit(std::span<const std::byte> before, std::span<const std::byte> after,
                                       std::byte pattern = guard_pattern(), std::size_t unit_bytes = 1);

}  // namespace gpulab::validate
