#include "base/cpu_vectors.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace rounded_up_test {

TEST(RoundedUp, IsTheSizeItselfWhereThatIsAMultiple) {
  EXPECT_EQ(rounded_up(0, 16), 0u);
  EXPECT_EQ(rounded_up(1, 16), 16u);
  EXPECT_EQ(rounded_up(16, 16), 16u);
  EXPECT_EQ(rounded_up(17, 16), 32u);
}

}  // namespace rounded_up_test
}  // namespace gpulab
