#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/lesson_cases.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab {
namespace reduction_test {

float sum_by(const Reference& reference, const Problem& problem, const Inputs& inputs) {
  Outputs outputs(problem.arrays);
  reference(inputs, outputs);
  return outputs[Output<float>{"sum"}][0];
}

// Adds up 1 + 2 + ... + n, in which a sum in float would lose digits long before the end.
TEST(Reduction, SumsUpTheFirstNumbersExactly) {
  for (const std::size_t n : {1u, 1023u, 1024u, 1025u, 100000u}) {
    const Problem problem = cli::find_lesson("reduction").problem({.size = n, .options = {}});
    Inputs inputs(problem.arrays);
    const auto input = inputs[Input<float>{"input"}];
    for (std::size_t i = 0; i < n; ++i) input[i] = static_cast<float>(i + 1);
    const float expected = static_cast<float>(static_cast<double>(n) * static_cast<double>(n + 1) / 2);
    EXPECT_EQ(sum_by(problem.references.plain, problem, inputs), expected) << n;
    EXPECT_EQ(sum_by(problem.references.openmp, problem, inputs), expected) << n;
  }
}

// Each thread adds up 8 elements, so a pass leaves one sum for every 256, and 100 000 take three passes.
TEST(Reduction, LaunchesAgainUntilOneSumIsLeft) {
  device::Device* device = simulator::simulator_with("g++");
  if (!device) GTEST_SKIP() << "g++ is not installed";
  const auto launches = [&](std::size_t size, const std::string& variant) {
    run::RunOptions options;
    options.settings = {.size = size, .options = run::default_values(cli::find_lesson("reduction"))};
    options.block_size = 32;
    options.variants = {variant};
    options.time_budget_s = 1e-9;
    const LessonResult result = run::run_lesson(cli::find_lesson("reduction"), options, *device);
    EXPECT_EQ(exit_code_of(result), ExitCode::ok);
    return result.variants.at(0).launches;
  };
  EXPECT_EQ(launches(256, "shuffle"), 1);
  EXPECT_EQ(launches(257, "shuffle"), 2);
  EXPECT_EQ(launches(100000, "shuffle"), 3);
  EXPECT_EQ(launches(100000, "block-atomic"), 1);
}

}  // namespace reduction_test
}  // namespace gpulab
