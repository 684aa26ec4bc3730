#include "terminal_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class Inspect : public TerminalTest {
 protected:
  std::string printed(const std::vector<std::string>& words, int exit_code = 0) const {
    const ProgramRun ended = run(words);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.out << ended.err;
    return ended.out;
  }
};

TEST_F(Inspect, SaysWhichLineIsTheWorst) {
  const std::string out = printed({"inspect", "coalescing", "--variant", "stride-32", "--size", "4096"});
  EXPECT_TRUE(out.starts_with("coalescing · 4 096 float32")) << out;
  EXPECT_TRUE(contains(out, "touches 32 sectors where 4 would be enough"));
  EXPECT_FALSE(contains(out, "counted at")) << "that is the size that was asked for";
}

TEST_F(Inspect, SaysThatLoadsOfConstantsAreNotCounted) {
  EXPECT_TRUE(
      contains(printed({"inspect", "constant", "per-lane"}), "loads of constant memory are not counted"));
}

TEST_F(Inspect, ShowsEveryVariantUnasked) {
  const std::string out = printed({"inspect", "histogram", "--size", "2000"});
  for (const char* variant : {"\nglobal-atomic ·", "\nshared ·", "\nprivate-copies ·"})
    EXPECT_TRUE(contains(out, variant));
}

TEST_F(Inspect, TakesTheLessonsOwnOptionsWhereverTheyStand) {
  EXPECT_TRUE(contains(printed({"inspect", "--m", "32", "matmul", "--variant", "naive"}), "32 x 100"));
  EXPECT_TRUE(contains(printed({"inspect", "--picture", "matmul", "naive", "--m", "32"}), "32 x 100"));
  EXPECT_EQ(printed({"inspect", "matmul", "naive"}), printed({"inspect", "matmul", "--variant", "naive"}));
  expect_refusal({"inspect", "matmul", "nave"}, 2, "did you mean 'naive'?");
  EXPECT_TRUE(contains(printed({"inspect", "matmul", "--help"}), "--m N"));
  EXPECT_FALSE(contains(printed({"inspect", "--help"}), "--m N"));
  expect_refusal({"inspect", "matmul", "--taps", "3"}, 2, "inspect has no option '--taps'");
}

TEST_F(Inspect, TakesALearnersFileWithItsLessonOrAlone) {
  printed({"start", "first-kernel"});
  const std::string alone = printed({"inspect", "first_kernel.cu"}, 1);
  EXPECT_TRUE(contains(alone, "in first_kernel.cu"));
  EXPECT_TRUE(contains(alone, "WRONG: ")) << "it is the starter";
  write("mine.cu", printed({"solution", "first-kernel", "--anyway"}));
  EXPECT_TRUE(
      contains(printed({"inspect", "first-kernel", "mine.cu", "--size", "100"}), "in mine.cu · 1 block of"));
}

TEST_F(Inspect, IsNotFooledByWhatAKernelPrintsOrDoes) {
  const std::string head =
      "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int n) ";
  write("first_kernel.cu", head + "{ printf(\"{}\"); C[threadIdx.x] = 0; }");
  const ProgramRun prints = run({"inspect", "first_kernel.cu", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(prints.out)["variants"][0]["observed"], "wrong");
  EXPECT_TRUE(contains(run({"inspect", "first_kernel.cu"}).out, "printed by the kernel:\n  {}{}{}"));
  write("first_kernel.cu", head + "{ *(int*)16 = 1; }");
  const ProgramRun faults = run({"inspect", "first_kernel.cu"});
  EXPECT_EQ(faults.exit_code, 4);
  EXPECT_TRUE(contains(faults.err, "writes 4 bytes in line 1"));
  write("first_kernel.cu", "garbage");
  const ProgramRun broken = run({"inspect", "first_kernel.cu"});
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_TRUE(contains(broken.out, "FAILS TO COMPILE: first_kernel.cu does not compile: line 1"));
}

TEST_F(Inspect, RefusesWhatItCannotInspect) {
  printed({"start", "first-kernel"});
  expect_refusal({"inspect", "first_kernel.cu", "other.cu"}, 2, "takes one file");
  expect_refusal({"inspect", "first_kernel.cu", "--variant", "one-block"}, 2, "leave --variant out");
}

TEST_F(Inspect, SendsAWholeProgramToRun) {
  write("program.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
  for (const char* command : {"inspect", "estimate"}) {
    expect_refusal({command, "program.cu"}, 2, "gpulab run --inspect program.cu");
    expect_refusal({command, "first-kernel", "program.cu"}, 2, "gpulab run --inspect program.cu");
  }
}

TEST_F(Inspect, DrawsInTextAndOnAPage) {
  const std::string out =
      printed({"inspect", "coalescing", "stride-32", "--size", "4096", "--picture", "--html", "page.html"});
  EXPECT_TRUE(contains(out, "line 11 · global load: 32 sectors, where 4 would do"));
  EXPECT_TRUE(contains(out, "from input[0] on"));
  const std::string page = read(folder / "page.html");
  EXPECT_TRUE(contains(page, "<svg") && contains(page, "stride-32 · coalescing.cu"));
  expect_refusal({"inspect", "coalescing", "--html", "mine.cu"}, 2, "ends in .html, and 'mine.cu' does not");
  expect_refusal({"run", "mine.cu", "--picture"}, 2, "add --inspect");
  expect_refusal({"inspect", "coalescing", "--picture", "--format", "json"}, 2,
                 "--html FILE works with both");
}

TEST_F(Inspect, DrawsTheRaceThatACheckFound) {
  std::string kernel = printed({"solution", "shared-histogram", "--anyway"});
  const std::string barrier = "__syncthreads();";
  kernel.erase(kernel.find(barrier), barrier.size());
  write("shared_histogram.cu", kernel);
  const std::string out = printed(
      {"check", "shared_histogram.cu", "--device", "simulator", "--picture", "--html", "page.html"}, 1);
  EXPECT_TRUE(contains(out, "no barrier between them"));
  EXPECT_FALSE(contains(out, "sectors")) << "the race comes first";
  const std::string page = read(folder / "page.html");
  EXPECT_TRUE(contains(page, "no barrier between them") && contains(page, "sectors"));
}

TEST_F(Inspect, AnnotatesTheSource) {
  const std::string out = printed({"show", "coalescing", "--variant", "misaligned", "--annotate"});
  EXPECT_TRUE(contains(out, "global load"));
  EXPECT_TRUE(contains(out, "  if (thread < size) output[item] = 2 * input[item];\n"));
  EXPECT_TRUE(contains(out, "worst: line "));
  const auto document =
      nlohmann::json::parse(printed({"show", "coalescing", "misaligned", "--annotate", "--format", "json"}));
  EXPECT_GT(document["variants"][0]["lines"].size(), 5u);
  expect_refusal({"show", "coalescing", "--format", "json"}, 2, "needs --annotate");
}

TEST_F(Inspect, WrapsTheSourceToTheTerminal) {
  open({"inspect", "coalescing", "--variant", "stride-32"}, {{"TERM", "dumb"}}, 60);
  const std::string text = until_the_end();
  EXPECT_TRUE(contains(text, "\r\n        = 2 * input[item];\r\n"));
  EXPECT_FALSE(contains(text, "…"));
}

class DiffOfVariants : public TerminalTest {};

TEST_F(DiffOfVariants, HasTheIdeasAndTheLinesThatDiffer) {
  const ProgramRun shown = run({"diff", "histogram", "early-merge", "shared"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.starts_with("- early-merge: privatised per block, no barrier")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "       33 +   __syncthreads();\n"));
}

TEST_F(DiffOfVariants, IsSideBySideOnAWideTerminal) {
  open({"diff", "histogram", "early-merge", "shared"}, no_colour, 120);
  EXPECT_TRUE(contains(until_the_end(), "~ changed"));
  open({"diff", "histogram", "early-merge", "shared"}, no_colour, 119);
  EXPECT_FALSE(contains(until_the_end(), "~ changed"));
}

TEST_F(DiffOfVariants, ReadsTheFilesOfAFolder) {
  write("first_kernel.cu", "__global__ void vector_add_global_index(float* mine) {}\n");
  const ProgramRun shown = run({"diff", "first-kernel", "global-index", "thread-index", "--kernels", "."});
  EXPECT_EQ(shown.exit_code, 2);
  EXPECT_TRUE(contains(shown.err, "first_kernel.cu has no kernel vector_add_thread_index"));
}

}  // namespace
}  // namespace gpulab::cli
