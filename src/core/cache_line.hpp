#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace gpulab {

constexpr std::size_t bytes_per_line = 64;  // of the cache, on the CPUs of today
constexpr std::size_t floats_per_line = bytes_per_line / sizeof(float);
constexpr std::align_val_t line_alignment{bytes_per_line};

// How many elements lie before the next cache line.
inline std::size_t floats_before_line(const float* address) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % floats_per_line;
  return (floats_per_line - beyond) % floats_per_line;
}

// A vector that begins at a cache line, so that no vector register is loaded from two lines where its place
// is a multiple of its size.
template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line_alignment));
  }
  void deallocate(T* place, std::size_t) { ::operator delete(place, line_alignment); }
  bool operator==(const LineAllocator&) const = default;
};
template <class T>
using LineAligned = std::vector<T, LineAllocator<T>>;

// Has so many elements fetched to the cache, and does not wait for them. The CPU does so by itself for what
// is read in turn.
inline void prefetch(const float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += floats_per_line) __builtin_prefetch(values + i);
}

}  // namespace gpulab
