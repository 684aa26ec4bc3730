#include "lesson/lesson.hpp"
#include "run/problems.hpp"
#include "run/stopwatches.hpp"
#include "run/variant_run.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

// kernels/timed_results.cu, with arrays of every type.

namespace gpulab::run {
namespace timed_results_test {

const Input<int> in{"in"};
const Output<int> ints{"ints"};
const Output<unsigned> words{"words"};
const Output<std::uint8_t> bytes{"bytes"};
const Output<float> floats{"floats"};
const Output<double> doubles{"doubles"};

constexpr std::size_t length = 1001;  // the last word of the bytes is not whole

void fill(const Inputs&, Outputs& out) {
  for (std::size_t i = 0; i < length; ++i) {
    out[ints][i] = -static_cast<int>(i);
    out[words][i] = 0xFFFFFF00u + static_cast<unsigned>(i % 256);
    out[bytes][i] = static_cast<std::uint8_t>(i);
    out[floats][i] = static_cast<float>(i) / 3;
    out[doubles][i] = i == 7 ? NAN : static_cast<double>(i) / 7;
  }
}

Problem problem(const Settings&) {
  return {.arrays = {in(length), ints(length), words(length), bytes(length), floats(length), doubles(length)},
          .references = {.openmp = fill},
          .tolerance = {.relative = 1e-6}};
}

class TimedResultsOnSimulator : public simulator::NeedsCompiler<> {
 protected:
  // Returns how many wrong elements two comparisons count after this change of right outputs.
  std::uint32_t wrong_after(const std::function<void(Outputs&)>& change) {
    const Lesson lesson{
        .name = "types", .kernels = "first_kernel.cu", .problem = problem, .arguments = {in, ints}};
    const KernelFiles files(lesson, std::nullopt);
    ProblemCache problems(lesson, files, *simulator::simulator_with(""));
    RunContext& context = problems.make(problem({}), {});
    Outputs changed(context.prepared.problem.arrays);
    fill(context.prepared.inputs, changed);
    change(changed);
    for (const Array& array : changed) context.arrays.copy_input(array);
    TimedResults results(context, {});
    results.compare();
    results.compare();
    return results.wrong_elements();
  }
};

TEST_F(TimedResultsOnSimulator, ExplainTheFirstOutputInWhichTheReferencesDiffer) {
  Problem twice_wrong = problem({});
  twice_wrong.references = {.plain = fill, .openmp = [](const Inputs& inputs, Outputs& out) {
                              fill(inputs, out);
                              out[ints][3] = out[bytes][9] = 77;
                            }};
  const Lesson lesson{
      .name = "types", .kernels = "first_kernel.cu", .problem = problem, .arguments = {in, ints}};
  const KernelFiles files(lesson, std::nullopt);
  ProblemCache problems(lesson, files, *simulator::simulator_with(""));
  const RunContext& context = problems.make(twice_wrong, {});
  const std::string why = time_references(context.prepared, {.relative = 1e-6}, 0).back().explanation;
  EXPECT_TRUE(contains(why, "ints[3]"));
}

TEST_F(TimedResultsOnSimulator, AcceptWhatIsRightWithinTheTolerance) {
  EXPECT_EQ(wrong_after([](Outputs& out) { out[floats][900] *= 1 + 4e-7f; }), 0u);
}

TEST_F(TimedResultsOnSimulator, CountEachWrongElementOfEachLaunch) {
  EXPECT_EQ(wrong_after([](Outputs& out) { ++out[ints][1000]; }), 2u);
  EXPECT_EQ(wrong_after([](Outputs& out) { ++out[words][3]; }), 2u);
  EXPECT_EQ(wrong_after([](Outputs& out) { ++out[bytes][1000]; }), 2u);
  EXPECT_EQ(wrong_after([](Outputs& out) { out[floats][900] *= 1.00001f; }), 2u);
  EXPECT_EQ(wrong_after([](Outputs& out) { out[doubles][5] = NAN; }), 2u);
  EXPECT_EQ(wrong_after([](Outputs& out) { out[doubles][7] = 1; }), 2u) << "a NaN is expected";
}

}  // namespace timed_results_test
}  // namespace gpulab::run
