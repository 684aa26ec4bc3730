#include "fake_device.hpp"
#include "kernels_folder.hpp"
#include "run/run_lesson.hpp"
#include "run/validate/comparison.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace run_on_gpu_test {

constexpr std::size_t size = 1000;

// Content of an output before a launch.
const int poisoned = static_cast<int>(0x01010101u * validate::poison_of(ElementType::int32));

const Input<int> in{"in"};
const Output<int> out{"out"};

Problem doubling(const Settings&) {
  return {.description = "1000 numbers",
          .arrays = {in(size), out(size)},
          .fill = each_element(in, [](std::uint64_t, std::size_t i) { return static_cast<int>(i) + 1; }),
          .references = elementwise(
              out, [](int value) { return 2 * value; }, in)};
}

// Returns a lesson with any built-in kernel file, since the scripted device does not read it.
Lesson lesson_with(const std::vector<Variant>& variants) {
  return {.name = "doubling",
          .kernels = "first_kernel.cu",
          .default_size = size,
          .largest_size = size,
          .problem = doubling,
          .arguments = {in, out},
          .variants = variants,
          .claims = {at_least(2, "fast", "slow")}};
}

void double_into(void* const* arguments, const LaunchConfig&) {
  const int* const in = *static_cast<const int* const*>(arguments[0]);
  int* const out = *static_cast<int* const*>(arguments[1]);
  for (std::size_t i = 0; i < size; ++i) out[i] = 2 * in[i];
}

void do_nothing(void* const*, const LaunchConfig&) {}

class RunOnGpu : public testing::Test {
 protected:
  RunOnGpu() {
    device.kernels = {{"slow", double_into}, {"fast", double_into}, {"idle", do_nothing}};
    device.seconds = {{"slow", 3e-3}, {"fast", 1e-3}, {"idle", 1e-3}};
    device.copy_s = 0.25;
  }

  LessonResult run(const std::vector<Variant>& variants, RunOptions options = {}) {
    options.settings.size = size;
    options.time_budget_s = 0.01;
    return run_lesson(lesson_with(variants), options, device);
  }

  // Makes the kernel do its own work for that many launches, and then the wrong one.
  void go_wrong_after(std::size_t launches, FakeDevice::Work wrong_work) {
    device.kernels["fast"] = [this, launches, wrong_work](void* const* arguments,
                                                          const LaunchConfig& config) {
      (device.launches["fast"] > launches ? wrong_work : double_into)(arguments, config);
    };
  }

  FakeDevice device;
  const Variant slow{.name = "slow", .kernel = "slow"}, fast{.name = "fast", .kernel = "fast"};
};

TEST_F(RunOnGpu, TakesTheTimeOfKernelsFromEvents) {
  const LessonResult result = run({slow, fast});
  ASSERT_EQ(result.variants.size(), 2u);
  for (const auto& [index, expected_s] : {std::pair{0u, 3e-3}, {1u, 1e-3}}) {
    const VariantResult& variant = result.variants[index];
    EXPECT_EQ(variant.observed, Outcome::right);
    ASSERT_TRUE(variant.kernel_cold);
    for (const double sample : variant.kernel_cold->samples_s) EXPECT_NEAR(sample, expected_s, 1e-9);
    EXPECT_FALSE(variant.simulation_s);
  }
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
}

TEST_F(RunOnGpu, WarnsOfTimesThatAreTooShortOrAboveThePeakOfTheMemory) {
  device.seconds = {{"slow", 9e-6}, {"fast", 7e-9}};  // 8000 bytes take 8 ns at the peak
  const LessonResult result = run({slow, fast});
  ASSERT_EQ(result.variants[0].warnings.size(), 1u);
  EXPECT_TRUE(result.variants[0].warnings[0].starts_with("the median is below 10 us"));
  ASSERT_EQ(result.variants[1].warnings.size(), 2u);
  EXPECT_NE(result.variants[1].warnings[1].find("of the theoretical peak"), std::string::npos);
}

// The first launch has a thread for each element; the second does not say which thread has which element.
TEST_F(RunOnGpu, NamesTheThreadOfAWrongElementOnlyWhereTheLaunchTellsIt) {
  device.kernels["fast"] = [](void* const* arguments, const LaunchConfig& config) {
    double_into(arguments, config);
    (*static_cast<int* const*>(arguments[1]))[300] = 7;
  };
  Variant unowned = fast;
  unowned.name = "unowned";
  unowned.launch = [](const LaunchRequest& request) { return one_thread_per_element(request).config; };
  const LessonResult result = run({fast, unowned});
  ASSERT_EQ(result.variants.size(), 2U);
  EXPECT_EQ(result.variants[0].explanation,
            "1 of 1 000 wrong, out[300]: expected 602, got 7 (block 1 thread 44)");
  EXPECT_EQ(result.variants[1].explanation, "1 of 1 000 wrong, out[300]: expected 602, got 7");
}

TEST_F(RunOnGpu, EvictsTheCachesBeforeEverySample) {
  const LessonResult result = run({fast});
  const std::size_t samples = result.variants[0].kernel_cold->samples_s.size() +
                              result.transfers->to_device.samples_s.size() +
                              result.transfers->to_host.samples_s.size();
  EXPECT_GT(device.evictions, samples) << "the warm-up is evicted as well";
  EXPECT_LE(device.launches["fast"], device.evictions + 1) << "only the first validation may run warm";
}

TEST_F(RunOnGpu, TakesTheTimeOfTransfersFromPageLockedMemory) {
  const LessonResult result = run({fast});
  ASSERT_TRUE(result.transfers);
  EXPECT_EQ(result.transfers->bytes_to_device, 4000);
  EXPECT_EQ(result.transfers->bytes_to_host, 4000);
  EXPECT_NEAR(result.transfers->to_device.median_s, 0.25, 1e-9);
  EXPECT_NEAR(result.transfers->to_host.median_s, 0.25, 1e-9);
}

TEST_F(RunOnGpu, GivesEverythingBack) {
  run({slow, fast});
  EXPECT_TRUE(device.allocations.empty());
  EXPECT_TRUE(device.pinned.empty());
}

TEST_F(RunOnGpu, JudgesClaimsByTheMeasuredTimes) {
  const LessonResult result = run({slow, fast});
  ASSERT_EQ(result.claims.size(), 1u);
  EXPECT_EQ(result.claims[0].verdict, ClaimVerdict::holds);
  EXPECT_NEAR(*result.claims[0].ratio, 3, 1e-6);
}

TEST_F(RunOnGpu, TimesNothingThatIsWrongOrNotStatedToBeRight) {
  const LessonResult result = run({{.name = "idle", .kernel = "idle"},
                                   {.name = "race", .kernel = "fast", .expects = Outcome::race},
                                   {.name = "stated", .kernel = "idle", .expects = Outcome::wrong}});
  for (const VariantResult& variant : result.variants) EXPECT_FALSE(variant.kernel_cold) << variant.name;
  EXPECT_EQ(result.variants[0].observed, Outcome::wrong);
  EXPECT_EQ(result.variants[0].wrong_elements, size);
  EXPECT_TRUE(result.variants[2].as_expected());
  EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result);
}

TEST_F(RunOnGpu, CatchesAKernelThatGoesWrongWhileItIsTimed) {
  go_wrong_after(5, do_nothing);
  const LessonResult result = run({fast, slow});
  EXPECT_EQ(result.variants[0].observed, Outcome::wrong);
  EXPECT_TRUE(result.variants[0].explanation.starts_with("right when checked, but not when timed: "));
  EXPECT_EQ(result.variants[1].observed, Outcome::right);
  EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result);
  EXPECT_EQ(result.claims[0].verdict, ClaimVerdict::not_measured) << "a wrong result has no speed";
}

TEST_F(RunOnGpu, TimesEachLaunchWithTheMemoryThatACheckedOneFinds) {
  device.variables["launches"].resize(1);
  std::size_t with_a_result = 0, with_a_count = 0;
  device.kernels["fast"] = [&](void* const* arguments, const LaunchConfig& config) {
    if ((*static_cast<int* const*>(arguments[1]))[0] != poisoned) ++with_a_result;
    if (device.variables["launches"][0] != std::byte{}) ++with_a_count;
    device.variables["launches"][0] = std::byte{1};
    double_into(arguments, config);
  };
  EXPECT_EQ(run({fast}).variants[0].observed, Outcome::right);
  EXPECT_GT(device.launches["fast"], 5u);
  EXPECT_EQ(with_a_result, 0u);
  EXPECT_EQ(with_a_count, 0u);
}

// Only a launch right after an eviction, as each timed one is, does nothing; the checked ones are right.
TEST_F(RunOnGpu, JudgesLaunchesThatWereTimed) {
  std::size_t evicted = 0;
  device.kernels["fast"] = [&](void* const* arguments, const LaunchConfig& config) {
    const bool is_timed = device.launches["fast"] > 1 && device.evictions > evicted;
    evicted = device.evictions;
    (is_timed ? do_nothing : double_into)(arguments, config);
  };
  const LessonResult result = run({fast});
  EXPECT_EQ(result.variants[0].observed, Outcome::wrong);
  EXPECT_TRUE(result.variants[0].explanation.starts_with("right when checked, but not when timed: "));
}

TEST_F(RunOnGpu, TimesNothingWhereOneOfTheTimedLaunchesWasWrong) {
  device.kernels["fast"] = [this](void* const* arguments, const LaunchConfig& config) {
    (device.launches["fast"] == 4 ? do_nothing : double_into)(arguments, config);
  };
  const VariantResult result = run({fast}).variants[0];
  EXPECT_EQ(result.observed, Outcome::wrong);
  EXPECT_EQ(result.explanation,
            "right when checked, but not when timed: 1 000 elements that timed launches left were wrong");
}

class RunInARow : public RunOnGpu {
 protected:
  RunInARow() { device.has_graphs = true; }
  VariantResult run_fast() { return run({fast}, {.measured = {.steady = true}}).variants.at(0); }
  void expect_no_steady_time(const std::string& why) {
    const VariantResult result = run_fast();
    EXPECT_EQ(result.observed, Outcome::right);
    EXPECT_TRUE(result.kernel_cold);
    EXPECT_FALSE(result.kernel_steady);
    ASSERT_FALSE(result.warnings.empty());
    EXPECT_EQ(result.warnings.back(), "no steady time and no energy: " + why);
  }
};

TEST_F(RunInARow, HasASteadyTime) {
  const VariantResult result = run_fast();
  ASSERT_TRUE(result.kernel_steady);
  EXPECT_NEAR(result.kernel_steady->median_s, 1e-3, 1e-9);
}

TEST_F(RunInARow, HasNoneIfALaunchDoesNothingWhereItFindsAResult) {
  device.kernels["fast"] = [](void* const* arguments, const LaunchConfig& config) {
    if ((*static_cast<int* const*>(arguments[1]))[0] == poisoned) double_into(arguments, config);
  };
  expect_no_steady_time("the result depends on what the outputs held before the launch");
}

TEST_F(RunInARow, HasNoneIfALaunchLeavesSomethingForTheNext) {
  device.variables["launches"].resize(1);
  device.kernels["fast"] = [this](void* const* arguments, const LaunchConfig& config) {
    device.variables["launches"][0] = std::byte{1};
    double_into(arguments, config);
  };
  expect_no_steady_time("a __device__ variable keeps something from launch to launch");
}

TEST_F(RunOnGpu, TimesNoKernelThatKeepsDataInTheCache) {
  const KernelsFolder folder;
  folder.write("first_kernel.cu", "asm(\"ld.global.L2::evict_\"\n \"last.f32\");");
  const LessonResult result = run({fast}, {.kernels = folder.path()});
  EXPECT_EQ(result.variants[0].observed, Outcome::right);
  EXPECT_FALSE(result.variants[0].kernel_cold);
  ASSERT_EQ(result.variants[0].warnings.size(), 1u);
  EXPECT_TRUE(result.variants[0].warnings[0].starts_with("not timed: its file has 'evict_last'"));
}

void fault(void* const*, const LaunchConfig&) {
  throw device::DeviceError("cuStreamSynchronize", "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access");
}

TEST_F(RunOnGpu, RunsNothingAfterAFaultBecauseTheDeviceIsLost) {
  go_wrong_after(0, fault);
  Variant last = slow;
  last.name = "last";
  const LessonResult result = run({fast, slow, last});
  ASSERT_EQ(result.variants.size(), 3U);
  EXPECT_EQ(result.variants[0].observed, Outcome::faults);
  EXPECT_NE(result.variants[0].explanation.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
  for (const std::size_t later : {1u, 2u}) {
    EXPECT_EQ(result.variants[later].observed, Outcome::not_run);
    EXPECT_NE(result.variants[later].explanation.find("an earlier fault left the device unusable"),
              std::string::npos);
  }
  EXPECT_EQ(device.launches["slow"], 0u);
  EXPECT_EQ(exit_code_of(result), ExitCode::device);
  EXPECT_TRUE(device.allocations.empty());
}

TEST_F(RunOnGpu, RunsNothingAfterAFaultWhileTiming) {
  go_wrong_after(5, fault);
  const LessonResult result = run({fast, slow});
  EXPECT_EQ(result.variants[0].observed, Outcome::faults);
  EXPECT_TRUE(result.variants[0].explanation.starts_with("while it was timed: "));
  EXPECT_EQ(result.variants[1].observed, Outcome::not_run);
  EXPECT_EQ(exit_code_of(result), ExitCode::device);
}

TEST_F(RunOnGpu, GoesOnAfterALaunchThatWasRefused) {
  device.kernels["fast"] = [](void* const*, const LaunchConfig&) {
    throw device::LaunchError("cuLaunchKernel", "CUDA_ERROR_INVALID_VALUE", "too many threads");
  };
  const LessonResult result =
      run({{.name = "fast", .kernel = "fast", .expects = Outcome::fails_to_launch}, slow});
  EXPECT_EQ(result.variants[0].observed, Outcome::fails_to_launch);
  EXPECT_EQ(result.variants[1].observed, Outcome::right);
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
}

TEST_F(RunOnGpu, GivesTheKernelPoisonedOutputs) {
  device.kernels["fast"] = [](void* const* arguments, const LaunchConfig& config) {
    const int* const out = *static_cast<int* const*>(arguments[1]);
    if (out[0] != poisoned || out[size - 1] != poisoned)
      throw device::LaunchError("test", "CUDA_ERROR_INVALID_VALUE", "the output holds something");
    double_into(arguments, config);
  };
  const LessonResult result = run({slow, {.name = "fast", .kernel = "fast", .expects = Outcome::wrong}});
  EXPECT_EQ(result.variants[1].observed, Outcome::right) << result.variants[1].explanation;
}

TEST_F(RunOnGpu, FindsAnOpenMpReferenceThatIsWrong) {
  Lesson lesson = lesson_with({fast});
  lesson.problem = [](const Settings& settings) {
    Problem problem = doubling(settings);
    problem.references.openmp = [plain = problem.references.plain](const Inputs& inputs, Outputs& outputs) {
      plain(inputs, outputs);
      outputs[out][7] += 1;
    };
    return problem;
  };
  RunOptions options;
  options.settings.size = size;
  options.time_budget_s = 1e-9;
  const LessonResult result = run_lesson(lesson, options, device);
  ASSERT_EQ(result.references.size(), 2u);
  EXPECT_EQ(result.references[0].observed, Outcome::right);
  EXPECT_EQ(result.references[1].observed, Outcome::wrong);
  EXPECT_FALSE(result.references[1].explanation.empty());
  EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result);
}

}  // namespace run_on_gpu_test
}  // namespace gpulab::run
