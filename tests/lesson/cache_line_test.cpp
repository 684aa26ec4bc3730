#include "base/cpu_vectors.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace cache_line_test {

TEST(FloatsBeforeLine, LeadToAnAddressThatIsAMultipleOf64) {
  alignas(64) const float line[32] = {};
  EXPECT_EQ(floats_before_line(line), 0u);
  EXPECT_EQ(floats_before_line(line + 1), 15u);
  EXPECT_EQ(floats_before_line(line + 15), 1u);
  EXPECT_EQ(floats_before_line(line + 16), 0u);
}

TEST(LineAligned, BeginsAtALine) {
  LineAligned<float> values;
  for (const std::size_t size : {1, 1000, 100'000}) {
    values.resize(size);
    EXPECT_EQ(floats_before_line(values.data()), 0u) << size;
  }
}

}  // namespace cache_line_test
}  // namespace gpulab
