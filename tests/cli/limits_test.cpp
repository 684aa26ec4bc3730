#include "terminal_fixture.hpp"

namespace gpulab::cli {
namespace {

// What it prints with a GPU is tested with made-up figures in report/limits_text_test.cpp.
class Limits : public TerminalTest {};

TEST_F(Limits, RefusesALessonWithoutARungAtTheLimit) {
  expect_refusal({"limits", "primes", "--device", "cuda"}, 2, "primes has no rung");
  expect_refusal({"limits", "matmul", "primes", "--device", "cuda"}, 2, "primes has no rung");
  expect_refusal({"limits", "primes", "--device", "simulator"}, 2, "primes has no kernel whose simulation");
  expect_refusal({"limits", "matmull"}, 2, "did you mean 'matmul'?");
}

class LeftOut : public TerminalTest {};

TEST_F(LeftOut, IsAVariantThatNeedsAGpuAndALineSaysSo) {
  const ProgramRun all = run({"matmul", "--m", "8", "--n", "8", "--k", "8", "--device", "simulator"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_TRUE(
      simulator::contains(all.out, "warpgroups was left out: it needs a GPU of compute capability 9.0"))
      << all.out;
  EXPECT_FALSE(simulator::contains(all.out, "cublas")) << all.out;
}

TEST_F(LeftOut, IsRefusedWhereItWasAskedForByName) {
  expect_refusal({"matmul", "--variant", "warpgroups", "--device", "simulator"}, 4,
                 "variant 'warpgroups' cannot run here: it needs a GPU of compute capability 9.0");
  expect_refusal({"histogram", "--variant", "cub", "--device", "simulator"}, 4,
                 "variant 'cub' cannot run here: it needs a GPU");
}

}  // namespace
}  // namespace gpulab::cli
