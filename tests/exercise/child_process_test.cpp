#include "exercise/child_process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>

#include "core/error.hpp"

namespace gpulab {
namespace {

TEST(ChildProcess, ReturnsWhatTheWorkReturnsHoweverLong) {
  const ChildEnd end = run_in_child([] { return std::string(1'000'000, 'x'); }, 20);
  EXPECT_EQ(end.kind, ChildEnd::Kind::finished);
  EXPECT_EQ(end.output.size(), 1'000'000u);
}

TEST(ChildProcess, KeepsWhatIsPrintedOutOfTheAnswer) {
  const ChildEnd end = run_in_child(
      [] {
        for (int i = 0; i < 100'000; ++i) std::puts("a kernel that prints");
        return std::string("answer");
      },
      20);
  EXPECT_EQ(end.output, "answer");
}

TEST(ChildProcess, ThrowsWhatTheWorkThrows) {
  try {
    run_in_child([]() -> std::string { throw Error(ExitCode::device, "no compiler"); }, 20);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::device);
    EXPECT_STREQ(error.what(), "no compiler");
  }
}

TEST(ChildProcess, IsKilledAtTheEndOfItsTime) {
  const ChildEnd end = run_in_child(
      []() -> std::string {
        for (volatile bool going = true; going;) {
        }
        return "";
      },
      0.1);
  EXPECT_EQ(end.kind, ChildEnd::Kind::time_limit);
}

TEST(ChildProcess, IsReportedWhenASignalEndsIt) {
  const ChildEnd end = run_in_child(
      []() -> std::string {
        ::raise(SIGKILL);
        return "";
      },
      20);
  EXPECT_EQ(end.kind, ChildEnd::Kind::killed);
  EXPECT_EQ(end.signal, SIGKILL);
}

}  // namespace
}  // namespace gpulab
