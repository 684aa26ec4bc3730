#include "report/documents.hpp"

#include <gtest/gtest.h>

#include "report/measured_limits.hpp"

namespace gpulab::report {
namespace {

TEST(LimitsText, SaysForEachTargetWhatWasReached) {
  const std::string text = limits_text(measured(), {.cores = 16}, {.width = 200});
  EXPECT_NE(text.find("4.00 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("1 980"), std::string::npos) << text;
  EXPECT_NE(text.find("wide-loads should be at least 1x the yardstick: 1.25x"), std::string::npos) << text;
  EXPECT_NE(
      text.find("missed: arbitrary-size, 2^28: wide-loads should be at least 80 % of the ceiling: 75 %"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("81 %"), std::string::npos) << text;
}

TEST(LimitsText, FitsANarrowTerminal) {
  const std::string text = limits_text(measured(), {.cores = 16}, {.width = 60});
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    EXPECT_LE(end - from, 64u) << text.substr(from, end - from);  // in bytes: "·" and "±" have two
    from = end + 1;
  }
}

}  // namespace
}  // namespace gpulab::report
