#include "check/checks.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

// Each size selects a case of the program, so that one compiled program serves all tests.
const std::string one_case_per_size = source_text("tests/check/check_program.cu");

class CheckProgram : public simulator::NeedsCompiler<> {
 protected:
  static CheckResult checked_at(std::size_t size, double time_limit_s = 2) {
    for (const Exercise& exercise : all_exercises())
      if (exercise.name == "runtime-api")
        return check_program(exercise, {"my program.cu", one_case_per_size},
                             {.time_limit_s = time_limit_s, .trial = {.settings = Settings{.size = size}}});
    return {};
  }
};

TEST_F(CheckProgram, StopsAProgramThatDoesNotEnd) {
  EXPECT_EQ(checked_at(1, 0.3).pattern, "time-limit") << "it sleeps for ever";
  EXPECT_EQ(checked_at(11, 0.3).pattern, "time-limit") << "it has closed its input and output, too";
}

TEST_F(CheckProgram, StopsAProgramThatPrintsWithoutEnd) {
  const CheckResult result = checked_at(2);
  EXPECT_EQ(result.pattern, "too-much-output");
  EXPECT_LT(result.printed.size(), 10'000u);
}

TEST_F(CheckProgram, ReportsAnExitCodeAndTheOutput) {
  const CheckResult result = checked_at(3);
  EXPECT_EQ(result.pattern, "exit-code");
  EXPECT_EQ(result.printed, "something is missing\n");
}

TEST_F(CheckProgram, ComparesTheNumbersBehindTheirNames) {
  const CheckResult result = checked_at(4);
  EXPECT_EQ(result.pattern, "wrong-output");
  EXPECT_EQ(result.summary, "the program prints \"sum 17\", expected 60");
  EXPECT_EQ(checked_at(5).pattern, "no-output");
}

TEST_F(CheckProgram, HasNoFileAndNoInput) {
  if (!sandbox::support().is_complete()) GTEST_SKIP() << "this machine cannot confine";
  EXPECT_TRUE(contains(checked_at(6).summary, "\"sum -1\"")) << "a file";
  EXPECT_TRUE(contains(checked_at(7).summary, "\"sum 2\"")) << "its input";
  EXPECT_TRUE(contains(checked_at(12).summary, "\"sum 2\"")) << "the terminal";
}

TEST_F(CheckProgram, ReportsAProgramThatAbortsOrCrashes) {
  EXPECT_EQ(checked_at(9).pattern, "host-crash");
  const CheckResult crashed = checked_at(10);
  EXPECT_EQ(crashed.pattern, "host-crash");
  EXPECT_EQ(crashed.source, "case 10: *(volatile int*)nullptr = 1;");
}

}  // namespace
}  // namespace gpulab::check
