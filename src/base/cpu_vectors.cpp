#include "base/cpu_vectors.hpp"

#include <algorithm>

namespace gpulab {

void streaming_copy(const float* from, std::size_t count, float* to) {
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
