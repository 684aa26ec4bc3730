#include "core/cache_line.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

TEST(FloatsBeforeLine, LeadToAnAddressThatIsAMultipleOf64) {
  alignas(64) const float line[32] = {};
  EXPECT_EQ(floats_before_line(line), 0u);
  EXPECT_EQ(floats_before_line(line + 1), 15u);
  EXPECT_EQ(floats_before_line(line + 15), 1u);
  EXPECT_EQ(floats_before_line(line + 16), 0u);
}

}  // namespace
}  // namespace gpulab
