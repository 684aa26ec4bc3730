#include "base/table.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

using Lines = std::vector<std::string>;

TEST(TextLayout, CountsCodePoints) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("8.66 ms ± 0.1 %"), 15);
  EXPECT_EQ(display_width("a · b"), 5);
}

TEST(TextLayout, CutsBetweenCodePoints) {
  EXPECT_EQ(cut("±±±±", 4), "±±±±");
  EXPECT_EQ(cut("±±±±", 3), "±±…");
}

TEST(TextLayout, WrapsAtSpacesWithAHangingIndent) {
  EXPECT_EQ(wrapped("one two three four", 9, 2), (Lines{"one two", "  three", "  four"}));
}

TEST(TextLayout, UsesTheWholeWidth) {
  EXPECT_EQ(wrapped("one two", 7), (Lines{"one two"}));
}

TEST(TextLayout, KeepsTheDigitsOfANumberTogether) {
  EXPECT_EQ(wrapped("of 33 554 432 items", 13), (Lines{"of 33 554 432", "items"}));
  EXPECT_EQ(wrapped("of 33 554 432 items", 12), (Lines{"of", "33 554 432", "items"}));
}

TEST(TextLayout, BreaksAWordThatIsLongerThanALine) {
  EXPECT_EQ(wrapped("histogram_shared", 10, 1), (Lines{"histogram_", " shared"}));
}

TEST(TextLayout, KeepsLineBreaksAndIndentation) {
  EXPECT_EQ(wrapped("a\n\n  ^ here", 20), (Lines{"a", "", "  ^ here"}));
}

TEST(TextLayout, TerminatesAtTheSmallestWidths) {
  EXPECT_EQ(wrapped("ab", 1, 3), (Lines{"a", "   b"}));
  EXPECT_EQ(wrapped("", 10), Lines{});
}

}  // namespace
}  // namespace gpulab
