#include "bench/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "device/compile_cache.hpp"
#include "device/libraries.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"

namespace gpulab::bench {
namespace {

// The lesson's kernels at a size that is no multiple of a block.
Lesson at_a_small_size(const std::string& name) {
  const std::vector<Lesson> lessons = all_lessons();
  Lesson lesson = *std::ranges::find(lessons, name, &Lesson::name);
  for (LimitCase& asked : lesson.simulated) {
    if (asked.size > 0) asked.size = 5001;
    std::uint64_t side = 33;
    for (auto& [option, value] : asked.options) value = side++;
  }
  return lesson;
}

SimulationResult simulated(const Lesson& lesson) {
  device::CompileCache cache;
  const LimitsResult result = measure_simulation({lesson}, {.time_budget_s = 0.01}, [&] {
    return run::open_device(run::DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  });
  return result.simulated.at(0);
}

class Simulation : public testing::TestWithParam<const char*> {};

TEST_P(Simulation, IsRightOnOneCoreAndOnAll) {
  const SimulationResult one = simulated(at_a_small_size(GetParam()));
  EXPECT_EQ(one.on_one_core.observed, Outcome::right) << one.on_one_core.explanation;
  EXPECT_EQ(one.on_all_cores.observed, Outcome::right) << one.on_all_cores.explanation;
  EXPECT_GT(threads_of(one.on_all_cores), 1000);
  EXPECT_TRUE(gain_of_all_cores(one));
}

TEST_P(Simulation, StandsBesideTheSameKernelInOpenCl) {
  if (!device::find_yardstick("opencl-vector-add")) GTEST_SKIP() << "OpenCL has no device for the CPU here";
  const SimulationResult one = simulated(at_a_small_size(GetParam()));
  ASSERT_TRUE(one.host_library);
  EXPECT_EQ(one.host_library->observed, Outcome::right) << one.host_library->explanation;
  EXPECT_TRUE(times_library(one));
}

INSTANTIATE_TEST_SUITE_P(OfLessons, Simulation,
                         testing::Values("arbitrary-size", "shared-histogram", "matmul"));

TEST(HostLibrary, MultipliesAsTheReferenceDoes) {
  if (!device::find_yardstick("onednn-sgemm")) GTEST_SKIP() << "oneDNN is not here";
  Lesson lesson = at_a_small_size("matmul");
  lesson.simulated.at(0).host_library = "onednn-sgemm";
  const SimulationResult one = simulated(lesson);
  ASSERT_TRUE(one.host_library);
  EXPECT_TRUE(one.host_library->name.starts_with("oneDNN ")) << one.host_library->name;
  EXPECT_EQ(one.host_library->observed, Outcome::right) << one.host_library->explanation;
}

}  // namespace
}  // namespace gpulab::bench
