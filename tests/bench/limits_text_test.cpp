#include "bench/limits.hpp"

#include <gtest/gtest.h>

#include "bench/measured_limits.hpp"

namespace gpulab::bench {
namespace {

TEST(LimitsText, HasTimesRatesAndTheMultipleOfTheYardstick) {
  const std::string text = limits_text(measured_limits(), {.cores = 16}, {.width = 200});
  for (const char* part : {"4.00 ms", "1 980", "75 %", "1.2x", "81 %", "two reads, one write 4 000 GB/s"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(LimitsText, SaysWhichTargetIsMissed) {
  const std::string text = limits_text(measured_limits(), {}, {.width = 200});
  EXPECT_NE(text.find("missed: arbitrary-size, 2^28: wide-loads should reach 80 % of the ceiling: 75 %"),
            std::string::npos)
      << text;
}

TEST(LimitsText, SaysThatEveryTargetIsMet) {
  LimitsResult met = measured_limits();
  met.cases[0].asked.at_least = 0.75;
  const std::string text = limits_text(met, {}, {.width = 200});
  EXPECT_NE(text.find("Every target is met."), std::string::npos) << text;
  EXPECT_EQ(text.find("missed"), std::string::npos) << text;
}

TEST(LimitsText, SaysWhichYardstickIsFaster) {
  LimitsResult slow = measured_limits();
  slow.cases[0].asked.at_least = 0;
  slow.cases[0].asked.at_least_times = 2;
  const std::string text = limits_text(slow, {}, {.width = 200});
  EXPECT_NE(text.find("wide-loads should be 2.0x as fast as cub: 1.2x"), std::string::npos) << text;
}

TEST(LimitsText, HasThreadsInASecondOfTheSimulatorBesideOpenCl) {
  const std::string text = limits_text(simulated_limits(), {.cores = 2}, {.width = 200});
  for (const char* part :
       {"20.0 ms", "200", "30.0 ms", "133", "1.5x", "PoCL 3.1", "5.00 ms", "0.25x", "2 cores"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("target"), std::string::npos) << text;
}

TEST(LimitsText, SaysThatASimulatedKernelIsWrong) {
  LimitsResult wrong = simulated_limits();
  wrong.simulated[0].on_all_cores.observed = Outcome::wrong;
  wrong.simulated[0].on_all_cores.explanation = "17 of 20 unwritten";
  const std::string text = limits_text(wrong, {.cores = 2}, {.width = 200});
  EXPECT_NE(text.find("17 of 20 unwritten"), std::string::npos) << text;
  EXPECT_EQ(exit_code_of(wrong), ExitCode::wrong_result);
}

TEST(LimitsText, FitsANarrowTerminal) {
  const std::string text = limits_text(measured_limits(), {.cores = 16}, {.width = 60});
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    EXPECT_LE(end - from, 64u) << text.substr(from, end - from);  // in bytes: "·" and "±" have two
    from = end + 1;
  }
}

}  // namespace
}  // namespace gpulab::bench
