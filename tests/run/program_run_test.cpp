#include "cli/options.hpp"
#include "kernels_folder.hpp"
#include "lesson/lesson.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace program_run_test {

constexpr std::size_t size = 1000;

// Runs the lesson's first program with these statements at the end of its main().
VariantResult run_with(const std::string& statements) {
  const Lesson lesson = cli::find_lesson("runtime-api");
  const KernelsFolder folder;
  std::string text = embedded_kernel_file("seven_steps.cu");
  text.insert(text.rfind('}'), statements);
  folder.write("seven_steps.cu", text);
  RunOptions options;
  options.settings = lesson.default_settings();
  options.settings.size = size;
  options.variants = {"seven-steps"};
  options.kernels = folder.path();
  return run_lesson(lesson, options, *simulator::simulator_with("")).variants.at(0);
}

using ProgramInALesson = simulator::NeedsCompiler<>;

TEST_F(ProgramInALesson, MayCheckAReturnedErrorWithoutCallingCudaGetLastError) {
  const VariantResult result = run_with("if (cudaSetDevice(99) == cudaSuccess) return 1;\n");
  EXPECT_EQ(result.observed, Outcome::right) << result.explanation;
}

TEST_F(ProgramInALesson, HasADefectWhereItChecksNoError) {
  const VariantResult result = run_with("cudaSetDevice(99);\n");
  EXPECT_EQ(result.observed, Outcome::defect);
  EXPECT_EQ(result.pattern, "unchecked-error");
}

TEST_F(ProgramInALesson, FaultsWhereItsExitCodeIsNotZero) {
  const VariantResult result = run_with("return 3;\n");
  EXPECT_EQ(result.observed, Outcome::faults);
  EXPECT_EQ(result.explanation, "it ended with exit code 3");
}

ProgramTask task_to_add_up() {
  return {.prints =
              [](std::size_t n) {
                return PrintedNumbers{{"sum", static_cast<double>(n)}};
              },
          .errors = {{"half", "only half of it was added", [](std::size_t n) {
                        return PrintedNumbers{{"sum", static_cast<double>(n) / 2}};
                      }}}};
}

ProgramResult printed(const std::string& output) {
  return {.has_report = true, .output = output};
}

TEST(ProgramFault, IsNoneWhereTheOutputIsRight) {
  EXPECT_FALSE(fault_of(printed("sum 1000\n"), task_to_add_up(), size));
}

TEST(ProgramFault, IsTheWrongOutputWhereNothingElseIsWrong) {
  const auto fault = fault_of(printed("sum 7\n"), task_to_add_up(), size);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, ProgramFault::Kind::output);
  EXPECT_EQ(fault->finding.pattern, "wrong-output");
  EXPECT_EQ(fault->finding.text, "the program prints \"sum 7\", expected 1000");
  EXPECT_EQ(wrong_output("sum 500\n", task_to_add_up(), size)->pattern, "half");
  EXPECT_EQ(wrong_output("", task_to_add_up(), size, "it")->text,
            "it prints no line that begins with \"sum\"");
}

TEST(ProgramFault, IsTheExitCodeRatherThanTheWrongOutput) {
  ProgramResult run = printed("sum 7\n");
  run.status = 2;
  const auto fault = fault_of(run, task_to_add_up(), size);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, ProgramFault::Kind::abnormal_end);
  EXPECT_EQ(fault->finding.pattern, "exit-code");
}

TEST(ProgramFault, IsTheRaceRatherThanTheUninitialisedReadThatFollowsFromIt) {
  ProgramResult run = printed("sum 7\n");
  run.report.findings = {{.pattern = "a-note", .is_note = true},
                         {.pattern = "uninitialised-global", .place = {"", 3}},
                         {.pattern = "race-streams", .place = {"", 5}}};
  const auto fault = fault_of(run, task_to_add_up(), size);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, ProgramFault::Kind::defect);
  EXPECT_EQ(fault->finding.pattern, "race-streams");
}

}  // namespace program_run_test
}  // namespace gpulab::run
