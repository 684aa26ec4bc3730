#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string stopped_kernels = source_text("tests/simulator/watch/stopped_kernels.cu");

class StoppedKernels : public CheckedTest {};

TEST_P(StoppedKernels, AreThoseThatDivideAnIntegerByZero) {
  const auto found = defects(stopped_kernels, "divide", {.grid = 1, .block = 32});
  EXPECT_TRUE(has(found, DefectKind::division_by_zero, line_of(stopped_kernels, "quotient")));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].ends_launch);
  EXPECT_EQ(found[0].party.place->thread, (Extent{17, 0, 0}));
  EXPECT_TRUE(contains(explanation_of(found[0]), "a value that is not defined"));
  EXPECT_TRUE(contains(error_, "division by zero")) << error_;
}

TEST_P(StoppedKernels, DivideByAZeroThatTheCompilerKnowsToo) {
  EXPECT_TRUE(has(defects(stopped_kernels, "divide_by_nothing_else", {.grid = 1, .block = 32}),
                  DefectKind::division_by_zero, line_of(stopped_kernels, "folded")));
  EXPECT_TRUE(has(defects(stopped_kernels, "rest", {.grid = 1, .block = 32}), DefectKind::division_by_zero,
                  line_of(stopped_kernels, "rest")));
}

TEST_P(StoppedKernels, AreNotThoseThatDivideFloats) {
  EXPECT_TRUE(are_none(defects(stopped_kernels, "divide_floats", {.grid = 1, .block = 32})));
  EXPECT_EQ(error_, "");
}

TEST_P(StoppedKernels, AreThoseThatPrintWithoutEnd) {
  instruments().take_output();
  const auto found = defects(stopped_kernels, "print_for_ever", {.grid = 1, .block = 32});
  const std::size_t bytes = instruments().take_output().size();
  EXPECT_TRUE(has(found, DefectKind::too_much_output, line_of(stopped_kernels, "for ever")));
  EXPECT_GT(bytes, 1u << 20);
  EXPECT_LT(bytes, (1u << 20) + 100);
}

TEST_P(StoppedKernels, AreNotThoseThatPrintALineInEveryThread) {
  instruments().take_output();
  EXPECT_TRUE(are_none(defects(stopped_kernels, "print_once", {.grid = 40, .block = 100})));
  EXPECT_GT(instruments().take_output().size(), 40'000u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, StoppedKernels, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
