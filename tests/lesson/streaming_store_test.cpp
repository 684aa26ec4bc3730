#include "base/cpu_vectors.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace gpulab {
namespace streaming_store_test {

TEST(StreamingCopy, CopiesAnyLengthToAnyAddressAndNothingBeside) {
  std::vector<float> from(300);
  std::iota(from.begin(), from.end(), 1.0f);
  for (std::size_t offset = 0; offset < 20; ++offset)
    for (const std::size_t count : {0, 1, 3, 15, 16, 17, 64, 257}) {
      std::vector<float> to(offset + count + 20, -1);
      streaming_copy(&from[7], count, &to[offset]);
      for (std::size_t i = 0; i < to.size(); ++i) {
        const bool is_inside = i >= offset && i < offset + count;
        ASSERT_EQ(to[i], is_inside ? from[7 + i - offset] : -1) << offset << ", " << count << ", " << i;
      }
    }
}

}  // namespace streaming_store_test
}  // namespace gpulab
