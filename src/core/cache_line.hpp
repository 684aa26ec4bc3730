#pragma once

#include <cstddef>
#include <cstdint>

namespace gpulab {

constexpr std::size_t floats_per_line = 64 / sizeof(float);  // of the cache, on the CPUs of today

// How many elements lie before the next cache line.
inline std::size_t floats_before_line(const float* address) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % floats_per_line;
  return (floats_per_line - beyond) % floats_per_line;
}

// Has so many elements fetched to the cache, and does not wait for them. The CPU does so by itself for what
// is read in turn.
inline void prefetch(const float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += floats_per_line) __builtin_prefetch(values + i);
}

}  // namespace gpulab
