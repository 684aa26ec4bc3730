#include "base/text.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace flowing_text_test {

TEST(FlowingText, JoinsTheLinesOfAParagraph) {
  EXPECT_EQ(flowing_text("One sentence\nin two lines.\n"), "One sentence in two lines.");
  EXPECT_EQ(flowing_text("One.\n\nTwo,\nthree.\n"), "One.\n\nTwo, three.");
}

TEST(FlowingText, KeepsIndentedLinesAsTheyAre) {
  EXPECT_EQ(flowing_text("This guard\nprevents it:\n  if (i < n)\nSo\nwrite it.\n"),
            "This guard prevents it:\n  if (i < n)\nSo write it.");
}

}  // namespace flowing_text_test
}  // namespace gpulab
