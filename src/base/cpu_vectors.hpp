#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace gpulab {

constexpr std::size_t bytes_per_line = 64;  // cache line size of current CPUs
constexpr std::size_t floats_per_line = bytes_per_line / sizeof(float);
constexpr std::align_val_t line_alignment{bytes_per_line};

// Returns the number of elements before the next cache line.
inline std::size_t floats_before_line(const float* address) {
  const std::size_t floats_into_line =
      reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % floats_per_line;
  return (floats_per_line - floats_into_line) % floats_per_line;
}

// Allocates vectors at the beginning of a cache line. A load whose offset is a multiple of its size then
// touches one line only.
template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line_alignment));
  }
  void deallocate(T* vector, std::size_t) { ::operator delete(vector, line_alignment); }
  bool operator==(const LineAllocator&) const = default;
};
template <class T>
using LineAligned = std::vector<T, LineAllocator<T>>;

// Prefetches elements into the cache, without waiting. The CPU itself does so for sequential reads.
inline void prefetch(const float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += floats_per_line) __builtin_prefetch(values + i);
}

// Returns the smallest multiple that is at least the size.
constexpr std::size_t rounded_up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace gpulab

// The program is built for any CPU of its architecture. Code called by with_widest_vectors is compiled for
// wider vectors as well, and runs with the widest that the CPU has.

// Marks the body passed to with_widest_vectors, and every function in it that computes with vectors: only
// inlined code is compiled again.
#define GPULAB_INLINED __attribute__((always_inline))

namespace gpulab {

// Float32 vectors of lane_count lanes, for a CPU with register_count vector registers.
template <std::size_t lane_count, std::size_t register_count>
struct CpuVectors {
  static constexpr std::size_t lanes = lane_count;
  static constexpr std::size_t registers = register_count;

  typedef float Floats __attribute__((vector_size(lane_count * sizeof(float))));
  typedef double Doubles __attribute__((vector_size(lane_count * sizeof(double))));  // in two registers

  // Loads from and stores to any address, aligned or not. load() does not return the vector, because it may
  // be wider than those of the CPU that the program is built for.
  GPULAB_INLINED static void load(const float* from, Floats& to) { __builtin_memcpy(&to, from, sizeof(to)); }
  GPULAB_INLINED static void store(const Floats& values, float* to) {
    __builtin_memcpy(to, &values, sizeof(values));
  }

  // Forces the values into a register. When registers are scarce, GCC otherwise loads them again for each
  // use, and a load that straddles two cache lines costs as much as the multiply-adds that it feeds.
  GPULAB_INLINED static void keep_in_register([[maybe_unused]] Floats& values) {
#if defined(__x86_64__)
    asm("" : "+v"(values));
#endif
  }
};

#if defined(__x86_64__)
#define GPULAB_TARGET(features) __attribute__((target(features)))

template <class Body>
GPULAB_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")  // x86-64-v4
void with_avx512(const Body& body) {
  body(CpuVectors<16, 32>{});
}

template <class Body>
GPULAB_TARGET("avx2,fma")  // x86-64-v3
void with_avx2(const Body& body) {
  body(CpuVectors<8, 16>{});
}

#undef GPULAB_TARGET
#endif

// Calls body(CpuVectors<...>{}). An OpenMP region inside the body would become a separate function with the
// narrowest vectors, so put regions around the call.
template <class Body>
void with_widest_vectors(const Body& body) {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx512 && has_avx2) return with_avx512(body);
  if (has_avx2) return with_avx2(body);
  body(CpuVectors<4, 16>{});
#else
  body(CpuVectors<4, 32>{});  // the number of registers on aarch64
#endif
}

// Streaming stores bypass the caches. An ordinary store first fetches the cache line that it overwrites, a
// third of the traffic of a copy. Use them for data too large to stay in a cache until it is read; other
// threads see it after the next barrier. CPUs without them use ordinary stores.

// Stores to an address that is a multiple of the vector's size. Write whole cache lines, as the CPU fetches
// the rest of a line that is written in part.
template <class V>
GPULAB_INLINED inline void streaming_store(const typename V::Floats& values, float* to) {
  auto* target = reinterpret_cast<typename V::Floats*>(to);
#if defined(__clang__)
  __builtin_nontemporal_store(values, target);
#elif defined(__x86_64__)
  if constexpr (sizeof(values) == 16)
    asm("movntps %1, %0" : "=m"(*target) : "x"(values));
  else
    asm("vmovntps %1, %0" : "=m"(*target) : "v"(values));
#else
  *target = values;
#endif
}

// Copies to any address, with streaming stores.
inline void streaming_copy(const float* from, std::size_t count, float* to) {
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    std::size_t i = std::min(count, floats_before_line(to));
    std::copy_n(from, i, to);
    for (; i + floats_per_line <= count; i += floats_per_line)
#pragma GCC unroll 4
      for (std::size_t k = i; k < i + floats_per_line; k += V::lanes) {
        typename V::Floats values;
        V::load(from + k, values);
        streaming_store<V>(values, to + k);
      }
    std::copy_n(from + i, count - i, to + i);
  });
}

}  // namespace gpulab
