#include "lesson/handles.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace extent_test {

TEST(ExtentText, LeavesOutTheSizesOfOneAtItsEnd) {
  EXPECT_EQ(text_of(Extent{256}), "256");
  EXPECT_EQ(text_of(Extent{16, 8}), "(16, 8)");
  EXPECT_EQ(text_of(Extent{8, 8, 4}), "(8, 8, 4)");
  EXPECT_EQ(text_of(Extent{8, 1, 4}), "(8, 1, 4)");
}

}  // namespace extent_test
}  // namespace gpulab
