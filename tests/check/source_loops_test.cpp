#include "check/checks.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

const std::string kernel = R"(__global__ void k(int* a) {
  for (int i = 0; i < 4; ++i) {  // }
    if (i == 2)
      a[i] = 1;
    else
      a[i] = 2;
    while (a[i] > 0)
      a[i] -= 1;
    a[i] = 3;
  }
  do {
    a[0] += 1;
  } while (a[0] < 9);
  a[1] = 4;
  for (int i = 0; i < 4; ++i)
    if (i > 1) a[i] = 5;
    else a[i] = 6;
}
)";

void expect_loop(const std::vector<int>& lines, int first, int last) {
  const auto loop = innermost_loop(kernel, lines);
  ASSERT_TRUE(loop) << lines.front();
  EXPECT_EQ(loop->first, first);
  EXPECT_EQ(loop->last, last);
}

TEST(SourceLoops, AreTheSmallestThatHaveAllLines) {
  expect_loop({4}, 2, 10);
  expect_loop({8}, 7, 8);
  expect_loop({8, 4}, 2, 10);
  expect_loop({12}, 11, 13);
  expect_loop({16, 17}, 15, 17);
}

TEST(SourceLoops, AreNoneWhereALineIsOutside) {
  EXPECT_FALSE(innermost_loop(kernel, {14}));
  EXPECT_FALSE(innermost_loop(kernel, {4, 12}));
  EXPECT_FALSE(innermost_loop("for (", {2}));
  EXPECT_FALSE(innermost_loop("", {1}));
}

}  // namespace
}  // namespace gpulab::check
