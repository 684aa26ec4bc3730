#pragma once

#include <algorithm>
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

// The least multiple that is no smaller than the size.
constexpr std::size_t rounded_up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace gpulab

// The program is built for any CPU of its kind. What is called by with_widest_vectors is compiled for wider
// vectors as well, and run with the widest that the CPU has.

// For the body that is given to with_widest_vectors, and for every function that it calls and that computes
// with vectors: only what is inlined is compiled again.
#define GPULAB_INLINED __attribute__((always_inline))

namespace gpulab {

// Vectors of so many float32, on a CPU with so many vector registers.
template <std::size_t lane_count, std::size_t register_count>
struct CpuVectors {
  static constexpr std::size_t lanes = lane_count;
  static constexpr std::size_t registers = register_count;

  typedef float Floats __attribute__((vector_size(lane_count * sizeof(float))));
  typedef double Doubles
      __attribute__((vector_size(lane_count * sizeof(double))));  // as many, in two vectors

  // From and to any address, aligned or not. By reference, because a vector that is wider than those of the
  // CPU that the program is built for cannot be returned.
  GPULAB_INLINED static void load(const float* from, Floats& to) { __builtin_memcpy(&to, from, sizeof(to)); }
  GPULAB_INLINED static void store(const Floats& values, float* to) {
    __builtin_memcpy(to, &values, sizeof(values));
  }

  // Has values used from a register. When registers are scarce, GCC otherwise loads them again for each use,
  // and a load that straddles two cache lines costs as much as the multiply-adds that it is for.
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

// Calls body(CpuVectors<...>{}). An OpenMP region inside the body would be a function of its own, for the
// narrowest vectors, so regions have to be around the call.
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
  body(CpuVectors<4, 32>{});  // as aarch64 has them
#endif
}

// Stores that go past the caches to memory. An ordinary store first fetches the cache line that it then
// overwrites, a third of the traffic of a copy. For what is too large to be found in a cache by whoever reads
// it next; other threads see it after the next barrier. On CPUs without them, ordinary stores.

// The address is a multiple of the vector's size. Lines should be written as a whole, or they are fetched
// after all.
template <class V>
GPULAB_INLINED inline void streaming_store(const typename V::Floats& values, float* to) {
  auto* place = reinterpret_cast<typename V::Floats*>(to);
#if defined(__clang__)
  __builtin_nontemporal_store(values, place);
#elif defined(__x86_64__)
  if constexpr (sizeof(values) == 16)
    asm("movntps %1, %0" : "=m"(*place) : "x"(values));
  else
    asm("vmovntps %1, %0" : "=m"(*place) : "v"(values));
#else
  *place = values;
#endif
}

// Copies to any address.
inline void streaming_copy(const float* from, std::size_t count, float* to) {
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    std::size_t i = std::min(count, floats_before_line(to));
    std::copy_n(from, i, to);
    for (; i + floats_per_line <= count; i += floats_per_line)
#pragma GCC unroll 4
      for (std::size_t k = i; k < i + floats_per_line; k += V::lanes) {
        typename V::Floats some;
        V::load(from + k, some);
        streaming_store<V>(some, to + k);
      }
    std::copy_n(from + i, count - i, to + i);
  });
}

}  // namespace gpulab
