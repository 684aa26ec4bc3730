#include "report/source.hpp"

#include <gtest/gtest.h>

namespace gpulab::report {
namespace {

using Lines = std::vector<std::string>;

TEST(SourceLines, AreAsATerminalCanShowThem) {
  EXPECT_EQ(source_lines("a\r\n\tb\n\n\x1b[31mc"), (Lines{"a", "  b", "", "[31mc"}));
  EXPECT_EQ(source_lines("a\n"), Lines{"a"});
  EXPECT_EQ(source_lines(""), Lines{});
}

TEST(SourceLines, AreCountedFromOne) {
  const Lines lines{"a", "b"};
  EXPECT_EQ(source_line(lines, 1), "a");
  EXPECT_EQ(source_line(lines, 2), "b");
  for (const int outside : {-1, 0, 3}) EXPECT_EQ(source_line(lines, outside), "");
}

}  // namespace
}  // namespace gpulab::report
