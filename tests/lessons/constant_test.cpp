#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab {
namespace constant_test {

TEST(Constant, SaysWhatDoesNotFitAtOneBlockTooMany) {
  device::Device* device = simulator::simulator_with("");
  if (!device) GTEST_SKIP() << "no C++ compiler is installed";
  const Lesson lesson = cli::find_lesson("constant");
  const auto run = [&](std::size_t blocks) {
    run::RunOptions options;
    options.settings.size = (blocks - 1) * 1024 + 1;
    options.variants = {"constant"};
    options.time_budget_s = 1e-9;
    return run::run_lesson(lesson, options, *device).variants.at(0);
  };
  EXPECT_EQ(run(16384).observed, Outcome::right);
  const VariantResult refused = run(16385);
  EXPECT_EQ(refused.observed, Outcome::fails_to_launch);
  EXPECT_TRUE(refused.as_expected());
  EXPECT_NE(refused.explanation.find(
                "16 385 values take 65 540 bytes, and factors_constant has 65 536, which is all "
                "the constant memory there is"),
            std::string::npos)
      << refused.explanation;
}

}  // namespace constant_test
}  // namespace gpulab
