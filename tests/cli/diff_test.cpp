#include "terminal_fixture.hpp"

namespace gpulab::cli {
namespace {

class DiffOfVariants : public TerminalTest {};

TEST_F(DiffOfVariants, HasTheIdeasAndTheLinesThatDiffer) {
  const ProgramRun shown = run({"diff", "histogram", "early-merge", "shared"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.starts_with("- early-merge: counts in shared memory, with no barrier")) << shown.out;
  EXPECT_TRUE(simulator::contains(shown.out, "       33 +   __syncthreads();\n")) << shown.out;
}

TEST_F(DiffOfVariants, IsSideBySideOnAWideTerminal) {
  const Environment plain{{"TERM", "xterm"}, {"NO_COLOR", "1"}};
  open({"diff", "histogram", "early-merge", "shared"}, plain, 120);
  EXPECT_TRUE(simulator::contains(until_the_end(), "~ changed"));
  open({"diff", "histogram", "early-merge", "shared"}, plain, 119);
  EXPECT_FALSE(simulator::contains(until_the_end(), "~ changed"));
}

TEST_F(DiffOfVariants, ReadsTheFilesOfAFolder) {
  write("first_kernel.cu", "__global__ void vector_add_global_index(float* mine) {}\n");
  const ProgramRun shown = run({"diff", "first-kernel", "global-index", "thread-index", "--kernels", "."});
  EXPECT_EQ(shown.exit_code, 2);
  EXPECT_TRUE(simulator::contains(shown.err, "first_kernel.cu has no kernel vector_add_thread_index"));
}

TEST_F(DiffOfVariants, RefusesWhatCannotBeCompared) {
  expect_refusal({"diff", "histogram", "shared"}, 2, "diff compares two variants of shared-histogram, not 1");
  expect_refusal({"diff", "histogram", "shared", "early-merge", "shared"}, 2, "not 3");
  expect_refusal({"diff", "histogram", "shared", "shared"}, 2, "both are variant 'shared'");
  expect_refusal({"diff", "histogram", "shraed", "shared"}, 2, "did you mean 'shared'?");
  expect_refusal({"diff", "histogram", "cub", "shared"}, 2, "a call of a library");
  expect_refusal({"diff", "radio-astronomy", "clipping", "labelling"}, 2, "has several kernels");
  expect_refusal({"diff", "histogram", "--kernels", "."}, 2, "--kernels goes with two variants");
  expect_refusal({"diff", "histogram", "shared", "early-merge", "--anyway"}, 2, "goes with an exercise");
}

}  // namespace
}  // namespace gpulab::cli
