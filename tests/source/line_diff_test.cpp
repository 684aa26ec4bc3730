#include "source/diff.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace gpulab::source {
namespace {

using Lines = std::vector<std::string>;

// " " for a line of both, "-" and "+" for one of the left or the right.
std::string marks(const Lines& left, const Lines& right) {
  std::string text;
  for (const DiffRow& row : line_diff(left, right)) text += row.is_same() ? ' ' : row.left ? '-' : '+';
  return text;
}

TEST(LineDiff, SharesWhatIsTheSame) {
  EXPECT_EQ(marks({"a", "b"}, {"a", "b"}), "  ");
  EXPECT_EQ(marks({}, {}), "");
  EXPECT_EQ(marks({"a"}, {}), "-");
  EXPECT_EQ(marks({}, {"a"}), "+");
}

TEST(LineDiff, FindsTheLongestCommonSubsequence) {
  EXPECT_EQ(marks({"a", "b", "c", "d"}, {"a", "c", "x", "d"}), " - + ");
  EXPECT_EQ(marks({"x", "a", "b", "c"}, {"a", "b", "c", "x"}), "-   +");
  EXPECT_EQ(marks({"a", "b"}, {"c", "d"}), "--++");
  EXPECT_EQ(marks({"{", "a", "}"}, {"{", "b", "}", "{", "a", "}"}), " +++  ");
}

TEST(LineDiff, GivesBothTextsBack) {
  const Lines left{"a", "b", "a", "c", "", "b"}, right{"b", "a", "", "b", "c"};
  Lines lefts, rights;
  for (const DiffRow& row : line_diff(left, right)) {
    if (row.left) lefts.push_back(*row.left);
    if (row.right) rights.push_back(*row.right);
  }
  EXPECT_EQ(lefts, left);
  EXPECT_EQ(rights, right);
}

TEST(LineDiff, IsOverSoonForTextsOfManyLines) {
  Lines left(100'000, "same"), right(100'000, "same");
  for (int i = 0; i < 50'000; ++i) left[50 + i] = "left", right[50 + i] = "right";
  EXPECT_EQ(line_diff(left, right).size(), 150'000u);
}

TEST(LineDiff, TakesLinesApart) {
  EXPECT_EQ(lines_of("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\r\nb\r\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(""), Lines{});
}

}  // namespace
}  // namespace gpulab::source
