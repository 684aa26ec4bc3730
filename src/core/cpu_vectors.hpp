#pragma once

#include <cstddef>

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

}  // namespace gpulab
