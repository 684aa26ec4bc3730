#include "fake_device.hpp"
#include "run/run_lesson.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace variant_steps_test {

constexpr std::size_t size = 100;

const Input<int> in{"in"};
const Output<int> out{"out"}, negative{"negative"};
const Scratch<int> between{"between"};

Problem doubling(const Settings& settings) {
  const std::size_t n = settings.size;
  return {.description = "100 numbers",
          .arrays = {in(n), out(n), negative(n), between(n)},
          .fill = each_element(in, [](std::uint64_t, std::size_t i) { return static_cast<int>(i) + 1; }),
          .references = both(elementwise(
                                 out, [](int value) { return 2 * value; }, in),
                             elementwise(
                                 negative, [](int value) { return -value; }, in)),
          .findings = [](const Inputs&, const Outputs& outputs) -> Findings {
            return {.figures = {{"last", static_cast<double>(outputs[out].back())}}};
          }};
}

void multiply(void* const* arguments, int factor) {
  const int* const in = *static_cast<const int* const*>(arguments[0]);
  int* const out = *static_cast<int* const*>(arguments[1]);
  for (std::size_t i = 0; i < size; ++i) out[i] = factor * in[i];
}

// Kernels on a scripted device, where everything happens at once.
class VariantSteps : public testing::Test {
 protected:
  VariantSteps() {
    device.kernels = {{"copy", [](void* const* arguments, const LaunchConfig&) { multiply(arguments, 1); }},
                      {"twice", [](void* const* arguments, const LaunchConfig&) { multiply(arguments, 2); }}};
  }

  VariantResult run(Variant variant, std::size_t asked = size) {
    variant.name = "tried";
    if (variant.computes.empty()) variant.computes = {out};
    const Lesson lesson{.name = "doubling",
                        .kernels = "first_kernel.cu",
                        .default_size = size,
                        .largest_size = 2 * size,
                        .problem = doubling,
                        .arguments = {in, out},
                        .variants = {variant},
                        .shows = {.timeline = true}};
    RunOptions options;
    options.settings.size = asked;
    options.time_budget_s = 1e-9;
    return run_lesson(lesson, options, device).variants.at(0);
  }

  FakeDevice device;
};

const LaunchConfig one_block{.grid = {1}, .block = {32}};

TEST_F(VariantSteps, HandAnArrayFromOneKernelToTheNext) {
  const VariantResult result = run({.steps = [](Execution& run) {
    run.launch("copy", one_block, {in, between});
    run.launch("twice", one_block, {reads(between), out});
  }});
  EXPECT_EQ(result.observed, Outcome::right) << result.explanation;
  EXPECT_EQ(result.launches, 2u);
  EXPECT_EQ(result.timeline.size(), 2u);
}

TEST_F(VariantSteps, PassTheAddressOfAPart) {
  device.kernels["twice"] = [](void* const* arguments, const LaunchConfig&) {
    const int* const in = *static_cast<const int* const*>(arguments[0]);
    int* const out = *static_cast<int* const*>(arguments[1]);
    for (std::size_t i = 0; i < size / 2; ++i) out[i] = 2 * in[i];
  };
  const VariantResult result = run({.steps = [](Execution& run) {
    for (const std::size_t first : {std::size_t{0}, size / 2})
      run.launch("twice", one_block, {from(first, in), from(first, out)}, first == 0 ? 1 : 2);
  }});
  EXPECT_EQ(result.observed, Outcome::right) << result.explanation;
}

TEST_F(VariantSteps, AreJudgedByWhatTheVariantItselfCopiedToTheHost) {
  const auto copying_back = [](std::size_t count) {
    return [count](Execution& run) {
      run.copy_to_device(in, 0, size);
      run.launch("twice", one_block, {in, out});
      run.copy_to_host(out, 0, count);
    };
  };
  EXPECT_EQ(run({.steps = copying_back(size), .copies_inputs_from = HostMemory::pinned}).observed,
            Outcome::right);
  EXPECT_EQ(run({.steps = copying_back(size / 2), .copies_inputs_from = HostMemory::pinned}).observed,
            Outcome::wrong);
  EXPECT_TRUE(device.pinned.empty()) << "what was pinned is given back";
}

TEST_F(VariantSteps, FindPoisonOnTheDeviceUntilTheyCopyTheirInputs) {
  const VariantResult result = run({.steps =
                                        [](Execution& run) {
                                          run.launch("twice", one_block, {in, out});
                                        },
                                    .copies_inputs_from = HostMemory::pageable});
  EXPECT_NE(result.observed, Outcome::right);
}

TEST_F(VariantSteps, AreReportedWhenTheyLeaveMemoryAllocated) {
  const auto steps = [](bool is_freed) {
    return [is_freed](Execution& run) {
      const int buffer = run.allocate(1000);
      run.launch("twice", one_block, {in, out});
      if (is_freed) run.free(buffer);
    };
  };
  EXPECT_EQ(run({.steps = steps(/*is_freed=*/true)}).observed, Outcome::right);
  const VariantResult leaking = run({.steps = steps(/*is_freed=*/false)});
  EXPECT_EQ(leaking.observed, Outcome::leaks);
  EXPECT_TRUE(leaking.explanation.starts_with("1 000 bytes of device memory were allocated and never freed"))
      << leaking.explanation;
  EXPECT_EQ(device.allocations.size(), 0u) << "the run itself frees it";
}

TEST_F(VariantSteps, AreJudgedByTheOutputsThatTheVariantComputes) {
  const auto twice = [](Execution& run) { run.launch("twice", one_block, {in, out}); };
  EXPECT_EQ(run({.steps = twice, .computes = {out}}).observed, Outcome::right);
  EXPECT_EQ(run({.steps = twice, .computes = {out, negative}}).observed, Outcome::wrong);
}

TEST_F(VariantSteps, AreRunAtTheVariantsLargestSizeWhereALargerOneIsAskedFor) {
  const auto twice = [](Execution& run) { run.launch("twice", one_block, {in, out}); };
  EXPECT_EQ(run({.steps = twice, .max_size = 50}).size, 50u);
  EXPECT_EQ(run({.steps = twice, .max_size = 500}).size, size);
}

TEST_F(VariantSteps, RefuseAnArrayThatItsSymbolCannotHold) {
  device.variables["factors"].resize(4 * size);
  const auto twice = [](Execution& run) { run.launch("twice", one_block, {in, out}); };
  EXPECT_EQ(run({.symbols = {{"factors", in}}, .steps = twice}).observed, Outcome::right);
  device.variables["factors"].resize(4 * size - 1);
  const VariantResult refused = run({.symbols = {{"factors", in}}, .steps = twice});
  EXPECT_EQ(refused.observed, Outcome::fails_to_launch);
  EXPECT_NE(refused.explanation.find("100 values take 400 bytes, and factors has 399"), std::string::npos)
      << refused.explanation;
}

}  // namespace variant_steps_test
}  // namespace gpulab::run
