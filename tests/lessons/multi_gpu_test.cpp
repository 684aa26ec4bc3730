#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "multi_gpu/counting.hpp"
#include "multi_gpu/wrong_divisions.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::lessons::multi_gpu {
namespace multi_gpu_test {

Settings settings_of(std::size_t size, std::uint64_t gpus) {
  Settings settings = cli::find_lesson("multi-gpu").default_settings();
  settings.size = size;
  settings.options["gpus"] = gpus;
  return settings;
}

std::map<std::string, VariantResult> results_of(std::size_t size, std::uint64_t gpus) {
  run::RunOptions options;
  options.settings = settings_of(size, gpus);
  options.time_budget_s = 1e-9;
  std::map<std::string, VariantResult> results;
  const LessonResult result =
      run_lesson(cli::find_lesson("multi-gpu"), options, *simulator::simulator_with("g++"));
  for (const VariantResult& variant : result.variants) results.emplace(variant.name, variant);
  return results;
}

TEST(MultiGpu, GivesEveryElementToOneRank) {
  for (const std::size_t size : {1, 2, 3, 5, 8, 1003, 65536})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const Problem divided = problem(settings_of(size, static_cast<std::uint64_t>(ranks)));
      std::size_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Share share = divided.part(rank, ranks).arrays.at(0).held;
        EXPECT_EQ(share.first, next) << size << " on " << ranks;
        EXPECT_LE(share.count, size / static_cast<std::size_t>(ranks) + 1);
        EXPECT_GE(share.count, size / static_cast<std::size_t>(ranks));
        next = share.end();
      }
      EXPECT_EQ(next, size) << ranks;
    }
}

TEST(MultiGpu, LeavesRanksWithoutElementsWhereThereAreFew) {
  const Problem divided = problem(settings_of(2, 4));
  EXPECT_EQ(divided.part(0, 4).description, "no elements");
  EXPECT_EQ(divided.part(1, 4).arrays.at(0).held.count, 1u);
}

TEST(MultiGpu, DividesTheMostElementsAmongTheMostRanksWithoutAnOverflow) {
  constexpr std::size_t most = (std::size_t{1} << 31) - 1;
  EXPECT_EQ(share_of(most, 1023, 1024).end(), most);
  EXPECT_EQ(share_of(most, 1023, 1024).count, std::size_t{1} << 21);
}

using MultiGpuOnRanks = simulator::NeedsGcc<testing::TestWithParam<int>>;

TEST_P(MultiGpuOnRanks, EveryVariantOfMultiGpuDoesWhatItStates) {
  for (const std::size_t size : {1, 2, 1003})
    for (const auto& [name, result] : results_of(size, static_cast<std::uint64_t>(GetParam())))
      EXPECT_TRUE(result.as_expected())
          << name << " at " << size << ": expected " << name_of(result.expected) << ", observed "
          << name_of(result.observed) << ", " << result.explanation;
}

INSTANTIATE_TEST_SUITE_P(Course, MultiGpuOnRanks, testing::Values(1, 2, 3, 4, 7));

TEST(MultiGpu, IsWrongOnPurposeOnlyWhereThatShows) {
  if (!simulator::simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
  const auto uneven = results_of(1003, 4), even = results_of(1000, 4), alone = results_of(1003, 1);
  EXPECT_EQ(uneven.at("remainder").observed, Outcome::wrong);
  EXPECT_EQ(even.at("remainder").observed, Outcome::right);
  EXPECT_EQ(even.at("added-again").observed, Outcome::wrong);
  EXPECT_EQ(even.at("too-early").expected, Outcome::race);
  for (const char* name : {"remainder", "added-again", "too-early"})
    EXPECT_EQ(alone.at(name).expected, Outcome::right) << name;
}

class WrongDivisions : public testing::Test {
 protected:
  static constexpr std::size_t size = 10;

  // Returns how often each element was counted: each has a bin of its own.
  std::vector<int> counted(const TypicalResult& typical) {
    const Problem divided = problem(settings_of(size, 4));
    Inputs inputs(divided.arrays);
    Outputs outputs(divided.arrays);
    for (std::size_t i = 0; i < size; ++i) inputs[input][i] = static_cast<int>(i);
    typical.result(inputs, outputs);
    const std::span<const int> bins = outputs[counts];
    return {bins.begin(), bins.begin() + size};
  }

  // The ranks begin at 0, 2, 5 and 7.
  const std::vector<TypicalResult> all = wrong_divisions(size, 4);
};

TEST_F(WrongDivisions, NeverCountEveryElementOnce) {
  ASSERT_GT(all.size(), 10u);
  for (const TypicalResult& typical : all)
    EXPECT_NE(counted(typical), std::vector<int>(size, 1)) << typical.explanation;
}

TEST_F(WrongDivisions, NameARankWithItsElements) {
  EXPECT_EQ(all[0].pattern, "remainder");
  EXPECT_EQ(counted(all[0]), (std::vector{1, 1, 1, 1, 0, 1, 1, 1, 1, 0}));
  EXPECT_TRUE(
      contains(all[0].explanation, "rank 1 of 4 counts elements 2 to 3 and should count elements 2 to 4"));
}

TEST_F(WrongDivisions, HaveNoRemainderWhereTheRanksHaveEquallyMany) {
  EXPECT_TRUE(std::ranges::none_of(wrong_divisions(12, 4), [](const TypicalResult& typical) {
    return typical.pattern == "remainder" || typical.pattern == "int-overflow";
  }));
}

TEST_F(WrongDivisions, KnowTheProductThatOverflowsAnUnsignedInt) {
  const auto is_of_unsigned = [](const TypicalResult& typical) {
    return contains(typical.explanation, "more than an unsigned int holds");
  };
  EXPECT_TRUE(std::ranges::any_of(wrong_divisions(4'300'003, 1024), is_of_unsigned))
      << "times 1023: above 2^32";
  EXPECT_TRUE(
      std::ranges::any_of(wrong_divisions(4'300'003, 1024, /*only_some_ranks=*/true), is_of_unsigned));
  EXPECT_FALSE(std::ranges::any_of(wrong_divisions(4'100'003, 1024), is_of_unsigned));
}

TEST_F(WrongDivisions, KnowTheProductThatOverflowsAnInt) {
  constexpr std::size_t large = 2'100'003;  // times 1023: above 2^31
  const auto divisions = wrong_divisions(large, 1024);
  EXPECT_TRUE(std::ranges::any_of(divisions, [](const TypicalResult& typical) {
    return typical.pattern == "int-overflow" && contains(typical.explanation, "counts no element");
  }));
}

}  // namespace multi_gpu_test
}  // namespace gpulab::lessons::multi_gpu
