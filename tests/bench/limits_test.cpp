#include "bench/limits.hpp"

#include "base/text.hpp"
#include "bench/measured_limits.hpp"
#include "device/compile_cache.hpp"
#include "device/libraries.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace limits_test {

// Returns the lesson with simulated problems that are small and no multiple of a block.
Lesson at_a_small_size(const std::string& name) {
  const std::vector<Lesson> lessons = all_lessons();
  Lesson lesson = *std::ranges::find(lessons, name, &Lesson::name);
  for (LimitCase& limit_case : lesson.simulated) {
    if (limit_case.size > 0) limit_case.size = 5001;
    std::uint64_t side = 33;
    for (auto& [option, value] : limit_case.options) value = side++;
  }
  return lesson;
}

SimulationResult simulated(const Lesson& lesson) {
  device::CompileCache cache;
  const LimitsResult result =
      measure_simulation({lesson}, {.time_budget_s = 0.01}, [&] { return run::open_simulator(cache); });
  return result.simulated.at(0);
}

class Simulation : public testing::TestWithParam<const char*> {};

TEST_P(Simulation, IsRightOnOneCoreAndOnAll) {
  const SimulationResult result = simulated(at_a_small_size(GetParam()));
  EXPECT_EQ(result.on_one_core.observed, Outcome::right) << result.on_one_core.explanation;
  EXPECT_EQ(result.on_all_cores.observed, Outcome::right) << result.on_all_cores.explanation;
  EXPECT_GT(threads_of(result.on_all_cores), 1000);
  EXPECT_TRUE(parallel_speedup(result));
}

TEST_P(Simulation, StandsBesideTheSameKernelInOpenCl) {
  if (!device::find_yardstick("opencl-vector-add")) GTEST_SKIP() << "OpenCL has no device for the CPU here";
  const SimulationResult result = simulated(at_a_small_size(GetParam()));
  ASSERT_TRUE(result.host_library);
  EXPECT_EQ(result.host_library->observed, Outcome::right) << result.host_library->explanation;
  EXPECT_TRUE(speedup_over_library(result));
}

INSTANTIATE_TEST_SUITE_P(OfLessons, Simulation,
                         testing::Values("arbitrary-size", "shared-histogram", "matmul"));

TEST(HostLibrary, MultipliesAsTheReferenceDoes) {
  if (!device::find_yardstick("onednn-sgemm")) GTEST_SKIP() << "oneDNN is not here";
  Lesson lesson = at_a_small_size("matmul");
  lesson.simulated.at(0).host_library = "onednn-sgemm";
  const SimulationResult result = simulated(lesson);
  ASSERT_TRUE(result.host_library);
  EXPECT_TRUE(result.host_library->name.starts_with("oneDNN ")) << result.host_library->name;
  EXPECT_EQ(result.host_library->observed, Outcome::right) << result.host_library->explanation;
}

VariantResult timed(std::string name, double seconds) {
  return {.name = std::move(name),
          .observed = Outcome::right,
          .kernel_cold = Timing{.samples_s = {seconds}, .median_s = seconds}};
}

// Returns a kernel that reaches 3 TB/s (12 GB in 4 ms) of 4 TB/s, and should reach this part of them.
bench::LimitResult measured(double at_least) {
  bench::LimitResult result{.lesson = "add",
                            .traffic = {.bytes_read = 8e9, .bytes_written = 4e9, .operations = 1e9}};
  result.limit_case.min_fraction_of_ceiling = at_least;
  result.variant = timed("wide", 4e-3);
  result.yardstick = timed("cub", 5e-3);
  result.ceiling = {"two reads, one write", 4e12};
  return result;
}

TEST(Target, IsAPartOfTheCeiling) {
  EXPECT_DOUBLE_EQ(*bench::fraction_of_ceiling(measured(0.8)), 0.75);
  EXPECT_TRUE(bench::meets_target(measured(0.75)));
  EXPECT_FALSE(bench::meets_target(measured(0.76)));
}

TEST(Target, CountsOperationsWhereTheyAreTheLimit) {
  bench::LimitResult result = measured(0.5);
  result.traffic.limited_by_operations = true;
  result.ceiling = {"multiply-add", 5e11};
  EXPECT_DOUBLE_EQ(*bench::fraction_of_ceiling(result), 0.5);
}

TEST(Target, IsNotMetByAWrongResult) {
  bench::LimitResult result = measured(0.1);
  result.variant.observed = Outcome::wrong;
  EXPECT_FALSE(bench::fraction_of_ceiling(result));
  EXPECT_FALSE(bench::meets_target(result));
}

TEST(Target, CanBeTheSpeedOfAYardstickThatIsThere) {
  bench::LimitResult result = measured(0);
  result.limit_case.min_speedup = 1.25;
  EXPECT_TRUE(bench::meets_target(result));
  result.limit_case.min_speedup = 1.3;
  EXPECT_FALSE(bench::meets_target(result));
  result.yardstick.reset();
  EXPECT_TRUE(bench::meets_target(result));
}

TEST(Target, OfThePartDoesNotDependOnTheYardstick) {
  bench::LimitResult result = measured(0.75);
  EXPECT_DOUBLE_EQ(*bench::speedup_over_yardstick(result), 1.25);
  result.yardstick.reset();
  EXPECT_FALSE(bench::speedup_over_yardstick(result));
  EXPECT_TRUE(bench::meets_target(result));
}

TEST(LimitsResult, FailsForAWrongResultAndNotForAMissedTarget) {
  bench::LimitsResult result;
  result.cases = {measured(1)};
  EXPECT_EQ(bench::exit_code_of(result), ExitCode::ok);
  result.cases[0].yardstick->observed = Outcome::wrong;
  EXPECT_EQ(bench::exit_code_of(result), ExitCode::wrong_result);
}

TEST(LimitsText, HasTimesRatesAndTheMultipleOfTheYardstick) {
  const std::string text = limits_text(measured_limits(), {.cores = 16}, {.width = 200});
  for (const char* part : {"4.00 ms", "1 980", "75 %", "1.2x", "81 %", "two reads, one write 4 000 GB/s"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(LimitsText, SaysWhichTargetIsMissed) {
  const std::string text = limits_text(measured_limits(), {}, {.width = 200});
  EXPECT_NE(text.find("missed: arbitrary-size, 2^28: wide-loads should reach 80 % of the ceiling: 75 %"),
            std::string::npos)
      << text;
}

TEST(LimitsText, SaysThatEveryTargetIsMet) {
  LimitsResult met = measured_limits();
  met.cases[0].limit_case.min_fraction_of_ceiling = 0.75;
  const std::string text = limits_text(met, {}, {.width = 200});
  EXPECT_NE(text.find("Every target is met."), std::string::npos) << text;
  EXPECT_EQ(text.find("missed"), std::string::npos) << text;
}

TEST(LimitsText, SaysWhichYardstickIsFaster) {
  LimitsResult slow = measured_limits();
  slow.cases[0].limit_case.min_fraction_of_ceiling = 0;
  slow.cases[0].limit_case.min_speedup = 2;
  const std::string text = limits_text(slow, {}, {.width = 200});
  EXPECT_NE(text.find("wide-loads should be 2.0x as fast as cub: 1.2x"), std::string::npos) << text;
}

TEST(LimitsText, HasThreadsInASecondOfTheSimulatorBesideOpenCl) {
  const std::string text = limits_text(simulated_limits(), {.cores = 2}, {.width = 200});
  for (const char* part :
       {"20.0 ms", "200", "30.0 ms", "133", "1.5x", "PoCL 3.1", "5.00 ms", "0.25x", "2 cores"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("target"), std::string::npos) << text;
}

TEST(LimitsText, SaysThatASimulatedKernelIsWrong) {
  LimitsResult wrong = simulated_limits();
  wrong.simulated[0].on_all_cores.observed = Outcome::wrong;
  wrong.simulated[0].on_all_cores.explanation = "17 of 20 unwritten";
  const std::string text = limits_text(wrong, {.cores = 2}, {.width = 200});
  EXPECT_NE(text.find("17 of 20 unwritten"), std::string::npos) << text;
  EXPECT_EQ(exit_code_of(wrong), ExitCode::wrong_result);
}

TEST(LimitsText, FitsANarrowTerminal) {
  const std::string text = limits_text(measured_limits(), {.cores = 16}, {.width = 60});
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 60u) << line;
}

TEST(LimitsJson, HasTimesInSecondsAndATarget) {
  const auto document = nlohmann::json::parse(limits_json(measured_limits(), {}));
  const auto& result = document["cases"][0];
  EXPECT_EQ(document["schema"], "gpulab.limits");
  EXPECT_EQ(result["variant"]["kernel_cold"]["median_s"], 4e-3);
  EXPECT_EQ(result["variant"]["kernel_steady"], nullptr);
  EXPECT_EQ(result["times_yardstick"], 1.25);
  EXPECT_EQ(result["ceiling"]["bytes_per_s"], 4e12);
  EXPECT_EQ(result["part_of_ceiling"], 0.75);
  EXPECT_EQ(result["target"]["part_of_ceiling"], 0.8);
  EXPECT_EQ(result["target"]["times_yardstick"], nullptr);
  EXPECT_EQ(result["target"]["met"], false);
}

TEST(LimitsJson, HasTheSimulatorOnOneCoreAndOnAll) {
  const auto result = nlohmann::json::parse(limits_json(simulated_limits(), {}))["simulated"][0];
  EXPECT_EQ(result["launched_threads"], 4e6);
  EXPECT_EQ(result["one_core"]["timing"]["median_s"], 30e-3);
  EXPECT_EQ(result["gain_of_all_cores"], 1.5);
  EXPECT_EQ(result["host_library"]["name"], "PoCL 3.1");
  EXPECT_EQ(result["times_library"], 0.25);
}

// limits_schema_test.py names the file and compares it with the published schema: no GPU is needed for that.
TEST(LimitsJson, IsWrittenForTheTestOfItsSchema) {
  const char* file = std::getenv("GPULAB_LIMITS_DOCUMENT");
  if (!file) GTEST_SKIP() << "run by limits_schema_test.py";
  LimitsResult both = measured_limits();
  both.simulated = simulated_limits().simulated;
  std::ofstream(file) << limits_json(both, {.started_utc = "2026-11-21T12:00:00Z"});
}

}  // namespace limits_test
}  // namespace gpulab::bench
