#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::schedule {
namespace {

const std::string racing = source_text("tests/simulator/schedule/preemption_racing.cu");

const std::string correct = source_text("tests/simulator/schedule/preemption_correct.cu");

// Kernels that count in[i] by atomics other than atomicAdd on integers.
const std::string with_atomics = source_text("tests/simulator/schedule/preemption_with_atomics.cu");

// Returns numbers that look random: multiplicative hashes of their indices.
std::vector<int> numbers_below(int end, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(static_cast<int>(i * 2654435761u >> 8) % end);
  return numbers;
}

std::vector<int> counts_of(const std::vector<int>& values) {
  std::vector<int> counts(16);
  for (const int value : values) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

class PreemptiveSchedule : public SimulatorTest {
 protected:
  PreemptiveSchedule() { instrumentation_ = device::Instrumentation::interrupted; }

  // Returns the output, which is zero before the launch.
  std::vector<int> run(const std::string& text, const std::string& kernel, const LaunchConfig& config,
                       const std::vector<int>& inputs, std::size_t count) {
    const DeviceBuffer<int> in = buffer(inputs), out = buffer(std::vector<int>(count));
    launch(text, kernel, config, static_cast<const int*>(in.pointer()), out.pointer());
    return out.values();
  }
};

TEST_P(PreemptiveSchedule, LosesUpdatesThatAreNotAtomic) {
  const auto in = numbers_below(16, 64 * 256);
  EXPECT_NE(run(racing, "count_without_atomics", {.grid = {64}, .block = {256}}, in, 16), counts_of(in));
  // One block has no other worker to race with: its own threads have to be interrupted.
  const std::vector<int> few(in.begin(), in.begin() + 256);
  EXPECT_NE(run(racing, "count_without_atomics", {.block = {256}}, few, 16), counts_of(few));
}

TEST_P(PreemptiveSchedule, ShowsThatABarrierIsMissing) {
  const auto in = numbers_below(16, 64 * 256);
  EXPECT_NE(run(racing, "count_in_shared_without_barrier", {.grid = {64}, .block = {256}}, in, 16),
            counts_of(in));
}

TEST_P(PreemptiveSchedule, LeavesASharedHistogramRight) {
  const auto in = numbers_below(16, 64 * 256);
  EXPECT_EQ(run(correct, "count_in_shared", {.grid = {64}, .block = {256}}, in, 16), counts_of(in));
}

TEST_P(PreemptiveSchedule, InterruptsNoAtomic) {
  const auto in = numbers_below(16, 64 * 256);
  for (const char* kernel : {"count_by_compare_and_swap", "count_in_float"})
    EXPECT_EQ(run(with_atomics, kernel, {.grid = {64}, .block = {256}}, in, 16), counts_of(in)) << kernel;
}

TEST_P(PreemptiveSchedule, LeavesReductionsRight) {
  const auto in = numbers_below(100, 64 * 256);
  const int sum = std::accumulate(in.begin(), in.end(), 0);
  const LaunchConfig config{.grid = {64}, .block = {256}};
  EXPECT_EQ(run(correct, "sum_by_tree", config, in, 1), std::vector<int>{sum});
  EXPECT_EQ(run(correct, "sum_by_shuffles", config, in, 1), std::vector<int>{sum});
  const int bits = run(correct, "sum_by_reduce", config, in, 1)[0];
  float as_float;
  __builtin_memcpy(&as_float, &bits, sizeof bits);
  EXPECT_EQ(as_float, static_cast<float>(sum));
}

TEST_P(PreemptiveSchedule, LeavesATiledTransposeRight) {
  const auto in = numbers_below(1000, 64 * 64);
  std::vector<int> expected;
  for (std::size_t i = 0; i < in.size(); ++i) expected.push_back(in[i % 64 * 64 + i / 64]);
  EXPECT_EQ(run(correct, "transpose", {.grid = {4, 4}, .block = {16, 16}}, in, in.size()), expected);
}

TEST_P(PreemptiveSchedule, LeavesATiledMatrixProductRight) {
  const auto in = numbers_below(1000, 64 * 64);
  std::vector<int> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::size_t k = 0; k < 64; ++k) expected[i] += in[i / 64 * 64 + k] * in[k * 64 + i % 64];
  const LaunchConfig config{.grid = {4, 4}, .block = {16, 16}, .dynamic_shared_bytes = 1024};
  EXPECT_EQ(run(correct, "square_the_matrix", config, in, in.size()), expected);
}

INSTANTIATE_TEST_SUITE_P(Compilers, PreemptiveSchedule, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::schedule
