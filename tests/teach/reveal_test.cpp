#include "teach/demo.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/kernels_folder.hpp"
#include "run/run_options.hpp"
#include "simulator/simulator_fixture.hpp"

namespace gpulab::teach {
namespace {

const char* figures =
    "# A GPU, today\nlesson,variant,figure,unit,value\nshared-histogram,shared,seconds,s,0.002\n"
    "shared-histogram,global-atomic,seconds,s,0.009\n";

class RevealTest : public testing::Test {
 protected:
  DemoReveal revealed(const std::string& step, std::size_t size = 4096,
                      const std::optional<std::filesystem::path>& kernels = {}) {
    const Lesson lesson = cli::find_lesson("histogram");
    const Demo demo = parse_script("== a\n" + step, lesson, "test");
    run::RunOptions options{.settings = lesson.default_settings()};
    options.settings.size = size;
    options.kernels = kernels;
    return reveal(demo.steps.front(), lesson, options, *simulator::simulator_with(""), Recorded(figures));
  }
};

TEST_F(RevealTest, SaysThatAKernelIsRight) {
  const DemoReveal reveal = revealed("ask: x\nanswer: result of shared\nchoice wrong: w\nchoice right: r\n");
  EXPECT_EQ(reveal.answer, "right");
  EXPECT_EQ(reveal.choice, 1U);
  EXPECT_TRUE(reveal.findings.empty());
}

TEST_F(RevealTest, CallsARaceARaceWhateverCameOutAndNamesBothLines) {
  const DemoReveal reveal =
      revealed("ask: x\nanswer: result of shared-unsynchronised\nchoice right: r\nchoice race: a race\n");
  EXPECT_TRUE(reveal.answer.starts_with("a race, ")) << reveal.answer;
  EXPECT_EQ(reveal.choice, 1U);
  ASSERT_EQ(reveal.findings.size(), 1U);
  EXPECT_EQ(reveal.findings.front().lines.size(), 2U);
  EXPECT_NE(reveal.findings.front().text.find("nothing orders the two"), std::string::npos);
}

TEST_F(RevealTest, ComputesASpeedUpFromRecordedTimesWhereThereIsNoGpu) {
  const DemoReveal reveal = revealed(
      "ask: x\nanswer: times as fast shared as global-atomic\nchoice below 4: a\nchoice 4 to 5: b\n");
  EXPECT_EQ(reveal.answer, "4.50 times as fast");
  EXPECT_EQ(reveal.choice, 1U);
  EXPECT_EQ(reveal.basis, "recorded on A GPU, today");
}

TEST_F(RevealTest, HasNoAnswerWhereNothingWasRecorded) {
  const DemoReveal reveal = revealed(
      "ask: x\nanswer: fastest of shared, private-copies\nchoice shared: a\nchoice private-copies: b\n");
  EXPECT_EQ(reveal.unknown, "the time of private-copies needs a GPU");
  EXPECT_FALSE(reveal.choice);
}

TEST_F(RevealTest, HasNoRecordedTimeOfAnEditedKernelButSaysWhatIsWrongWithIt) {
  const run::KernelsFolder folder;
  std::string text = run::embedded_kernel_file("shared_histogram.cu");
  for (std::size_t at = 0; (at = text.find("__syncthreads();", at)) != std::string::npos;) text.erase(at, 16);
  folder.write("shared_histogram.cu", text);
  const DemoReveal reveal =
      revealed("ask: x\nanswer: times as fast shared as global-atomic\nchoice below 4: a\nchoice 4 to 5: b\n",
               4096, folder.path());
  EXPECT_EQ(reveal.unknown, "the file has been edited, and what was recorded is of the course's kernels");
  EXPECT_FALSE(reveal.choice);
  ASSERT_EQ(reveal.findings.size(), 1U);
  EXPECT_NE(reveal.findings.front().text.find("nothing orders the two"), std::string::npos);
}

TEST_F(RevealTest, SaysAtWhichSizeAnEditedKernelWasStopped) {
  const run::KernelsFolder folder;
  std::string text = run::embedded_kernel_file("shared_histogram.cu");
  const std::string guard = "if (item < size) ", counted = guard + "atomicAdd(&output[input[item]], 1);";
  text.replace(text.find(counted), guard.size(), "");
  folder.write("shared_histogram.cu", text);
  const DemoReveal reveal =
      revealed("ask: x\nanswer: result of global-atomic\nchoice right: r\nchoice out-of-bounds: o\n", 16384,
               folder.path());
  EXPECT_EQ(reveal.choice, 1U);
  ASSERT_EQ(reveal.findings.size(), 1U);
  EXPECT_TRUE(reveal.findings.front().text.ends_with("(at 10 007 work items)"))
      << reveal.findings.front().text;
}

TEST_F(RevealTest, NamesThePatternOfAWrongResult) {
  const DemoReveal reveal =
      revealed("ask: x\nanswer: pattern of not-zeroed\nchoice none: right\nchoice doubled: twice\n");
  EXPECT_EQ(reveal.answer, "twice");
  EXPECT_EQ(reveal.choice, 1U);
}

TEST_F(RevealTest, CountsThreadsAndWrongElements) {
  EXPECT_EQ(
      revealed("ask: x\nanswer: threads of shared\nchoice exactly 4096: a\nchoice exactly 256: b\n").choice,
      0U);
  const DemoReveal wrong =
      revealed("ask: x\nanswer: wrong elements of not-zeroed\nchoice below 256: a\nchoice 256 or more: b\n");
  EXPECT_EQ(wrong.answer, "256 wrong elements");
  EXPECT_EQ(wrong.choice, 1U);
}

TEST_F(RevealTest, FitsNoChoiceThatDoesNotCoverTheAnswer) {
  EXPECT_FALSE(
      revealed("ask: x\nanswer: threads of shared\nchoice below 10: a\nchoice exactly 256: b\n").choice);
}

TEST_F(RevealTest, LeavesOutWhatThisDeviceCannotRun) {
  const Lesson lesson = cli::find_lesson("matmul");
  const Demo demo = parse_script(
      "== a\nsimulated with: --m 16 --n 16 --k 16\nrun: tiled, tensor-cores\n"
      "ask: x\nanswer: times as fast tensor-cores as tiled\nchoice below 2: a\nchoice 2 or more: b\n",
      lesson, "test");
  run::RunOptions options{.settings = lesson.default_settings()};
  const DemoReveal revealed =
      reveal(demo.steps.front(), lesson, options, *simulator::simulator_with(""),
             Recorded("# A GPU\nlesson,variant,figure,unit,value\nmatmul,tiled,seconds,s,4\n"
                      "matmul,tensor-cores,seconds,s,1\n"));
  ASSERT_TRUE(revealed.result);
  EXPECT_EQ(revealed.result->variants.size(), 1U);
  EXPECT_EQ(revealed.answer, "4 times as fast");
}

TEST(DemoEdits, ReplaceLinesOfOneKernelWhateverTheirMargins) {
  const std::string file = "__global__ void a() {\n  x();\n}\n__global__ void b() {\n    x();\n    y();\n}\n";
  EXPECT_EQ(edited(file, "b", {{{"x();", "y();"}, {"z();", "  w();"}}}),
            "__global__ void a() {\n  x();\n}\n__global__ void b() {\n    z();\n      w();\n}\n");
  EXPECT_THROW(edited(file, "b", {{{"q();"}, {}}}), UsageError);
}

TEST(Recorded, PrefersWhatWasRecordedWithTheOptionsOfTheStep) {
  const Recorded recorded(
      "# A GPU\nlesson,variant,figure,unit,value\nscaling,strong-2,seconds,s,1\n"
      "scaling,strong-2,seconds at --size 1048576,s,2\n");
  EXPECT_EQ(recorded.of("scaling", "strong-2", "seconds", "--size 1048576")->value, 2);
  EXPECT_EQ(recorded.of("scaling", "strong-2", "seconds", "--size 7")->value, 1);
  EXPECT_FALSE(recorded.of("scaling", "strong-4", "seconds").has_value());
}

TEST(Recorded, IsReadWithItsSource) {
  const Recorded recorded(figures);
  EXPECT_EQ(recorded.source(), "A GPU, today");
  EXPECT_EQ(recorded.of("shared-histogram", "shared", recorded_seconds)->value, 0.002);
  EXPECT_EQ(recorded.of("matmul", "shared", recorded_seconds).has_value(), false);
  EXPECT_THROW(Recorded("nothing"), std::logic_error);
  EXPECT_EQ(Recorded{embedded_recorded_figures()}.source(), "NVIDIA H200, 2026-11-22");
}

}  // namespace
}  // namespace gpulab::teach
