#include "cli/options.hpp"
#include "halo_exchange/arrays.hpp"
#include "halo_exchange/wrong_halos.hpp"
#include "lesson/lesson.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::lessons::halo_exchange {
namespace halo_exchange_test {

struct AskedOptions {
  std::uint64_t width = 9, height = 13, filter_side = 3, steps = 2, gpus = 3;
};

Settings settings_of(const AskedOptions& asked) {
  Settings settings = cli::find_lesson("halo-exchange").default_settings();
  settings.options["width"] = asked.width;
  settings.options["height"] = asked.height;
  settings.options["filter-side"] = asked.filter_side;
  settings.options["steps"] = asked.steps;
  settings.options["gpus"] = asked.gpus;
  return settings;
}

std::map<std::string, VariantResult> results_of(const AskedOptions& asked) {
  run::RunOptions options;
  options.settings = settings_of(asked);
  options.time_budget_s = 1e-9;
  std::map<std::string, VariantResult> results;
  const LessonResult result =
      run_lesson(cli::find_lesson("halo-exchange"), options, *simulator::simulator_with("g++"));
  for (const VariantResult& variant : result.variants) results.emplace(variant.name, variant);
  return results;
}

TEST(HaloExchange, GivesEveryRowToOneRank) {
  for (const std::size_t height : {1, 2, 7, 13, 100})
    for (const std::size_t halo : {0, 1, 3})
      for (const int ranks : {1, 2, 3, 4, 7}) {
        std::size_t next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const Share rows = rows_of(rank, ranks, height, halo);
          EXPECT_EQ(rows.first, next);
          EXPECT_TRUE(rows.count == 0 || rows.count >= std::min(halo, height)) << "less than a halo";
          next = rows.end();
        }
        EXPECT_EQ(next, height) << ranks;
      }
}

TEST(HaloExchange, LeavesTheLastRanksWithoutRowsWhereTheImageIsLow) {
  EXPECT_EQ(ranks_with_rows(4, 7, 3), 2);
  EXPECT_EQ(rows_of(2, 4, 7, 3).count, 0u);
  const Problem divided = problem(settings_of({.height = 7, .filter_side = 7, .gpus = 4}));
  EXPECT_EQ(divided.part(1, 4).description, "rows 3 to 6");
  EXPECT_EQ(divided.part(3, 4).description, "no rows");
}

using HaloExchangeOnRanks = simulator::NeedsGcc<testing::TestWithParam<int>>;

TEST_P(HaloExchangeOnRanks, EveryVariantOfHaloExchangeDoesWhatItStates) {
  const auto gpus = static_cast<std::uint64_t>(GetParam());
  for (const AskedOptions& asked :
       {AskedOptions{.width = 33, .height = 29, .steps = 3, .gpus = gpus},
        AskedOptions{.height = 1, .gpus = gpus},
        AskedOptions{.width = 1, .height = 5, .filter_side = 5, .gpus = gpus},
        AskedOptions{.filter_side = 1, .gpus = gpus}, AskedOptions{.steps = 1, .gpus = gpus}})
    for (const auto& [name, result] : results_of(asked))
      EXPECT_TRUE(result.as_expected()) << name << " at " << asked.width << " x " << asked.height
                                        << ": expected " << name_of(result.expected) << ", observed "
                                        << name_of(result.observed) << ", " << result.explanation;
}

INSTANTIATE_TEST_SUITE_P(Course, HaloExchangeOnRanks, testing::Values(1, 2, 3, 4, 7));

TEST(HaloExchange, IsWrongOnPurposeOnlyWhereThatShows) {
  if (!simulator::simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
  const auto on_three = results_of({.gpus = 3}), on_two = results_of({.gpus = 2}),
             once = results_of({.steps = 1});
  EXPECT_EQ(on_three.at("no-halo").observed, Outcome::wrong);
  EXPECT_EQ(on_three.at("wrong-side").observed, Outcome::wrong);
  EXPECT_EQ(on_two.at("wrong-side").observed, Outcome::right);
  EXPECT_EQ(on_two.at("no-halo").observed, Outcome::wrong);
  EXPECT_EQ(once.at("no-halo").observed, Outcome::right);
}

class WrongHalos : public testing::Test {
 protected:
  static constexpr AskedOptions asked{
      .width = 5, .height = 15, .filter_side = 3, .gpus = 3};  // five rows each

  WrongHalos() : divided(problem(settings_of(asked))), inputs(divided.arrays), right(divided.arrays) {
    divided.fill(inputs, 1);
    divided.references.plain(inputs, right);
  }

  std::set<std::size_t> wrong_rows(const TypicalResult& typical) {
    Outputs outputs(divided.arrays);
    typical.result(inputs, outputs);
    std::set<std::size_t> rows;
    for (std::size_t i = 0; i < asked.width * asked.height; ++i)
      if (std::abs(outputs[output][i] - right[output][i]) > 1e-5f) rows.insert(i / asked.width);
    return rows;
  }

  const Problem divided;
  Inputs inputs;
  Outputs right;
};

TEST_F(WrongHalos, AreWrongOnlyAtSeamsOrAtTheEdgesOfTheImage) {
  const std::set<std::size_t> seams{3, 4, 5, 6, 8, 9, 10, 11}, edges{0, 14};
  ASSERT_GT(divided.typically_wrong.size(), 10u);
  for (const TypicalResult& typical : divided.typically_wrong) {
    const std::set<std::size_t> wrong = wrong_rows(typical);
    std::set<std::size_t> where = typical.pattern.starts_with("seam-") ? seams : edges;
    const auto mentions = [&](const char* words) {
      return typical.explanation.find(words) != std::string::npos;
    };
    if (mentions("written") || mentions("overwrite")) continue;  // rows that are no halos are overwritten
    if (mentions("is filled, and no rank")) where.insert(seams.begin(), seams.end());
    EXPECT_TRUE(std::ranges::includes(where, wrong)) << typical.explanation;
    // These need unequal parts, or halos of two rows and more.
    const bool may_be_right =
        mentions("as many as this one") || mentions("reverse order") || mentions("only the first row");
    EXPECT_EQ(wrong.empty(), may_be_right) << typical.explanation;
  }
}

TEST_F(WrongHalos, TellTheUpperFromTheLowerHalo) {
  for (const TypicalResult& typical : divided.typically_wrong) {
    if (typical.explanation == "the lower halos were not filled") {
      EXPECT_EQ(wrong_rows(typical), (std::set<std::size_t>{4, 9}));
    }
    if (typical.explanation == "the upper halos stay empty: nothing fills them, or what is empty, too") {
      EXPECT_EQ(wrong_rows(typical), (std::set<std::size_t>{5, 10}));
    }
  }
}

TEST(WrongHalosWithoutAnExchange, AreNone) {
  EXPECT_TRUE(wrong_halos({.width = 5, .height = 15, .side = 3, .steps = 1, .ranks = 3}).empty());
  EXPECT_TRUE(wrong_halos({.width = 5, .height = 15, .side = 1, .steps = 2, .ranks = 3}).empty());
}

}  // namespace halo_exchange_test
}  // namespace gpulab::lessons::halo_exchange
