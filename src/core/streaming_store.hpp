#pragma once

#include <cstddef>

#include "core/cpu_vectors.hpp"

// Stores that go past the caches to memory. An ordinary store first fetches the cache line that it then
// overwrites, a third of the traffic of a copy. For what is too large to be found in a cache by whoever reads
// it next; other threads see it after the next barrier. On CPUs without them, ordinary stores.

namespace gpulab {

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
void streaming_copy(const float* from, std::size_t count, float* to);

}  // namespace gpulab
