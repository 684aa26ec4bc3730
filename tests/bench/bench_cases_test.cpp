#include "bench/bench_formats.hpp"

#include <gtest/gtest.h>

#include "bench/some_benchmark.hpp"

namespace gpulab::bench {
namespace {

BenchRow with_option(BenchRow row, const std::string& name, OptionValue value) {
  row.what.options[name] = std::move(value);
  return row;
}

TEST(ReportedCases, KeepTheOrderOfTheirRows) {
  const auto cases = cases_in_order({some_sweep()});
  ASSERT_EQ(cases.size(), 6u);
  EXPECT_EQ(cases[1].what.variant, "naive");
  EXPECT_EQ(cases[2].what.variant, "fast");
}

TEST(ReportedCases, AreOneForSeveralProcesses) {
  const auto cases = cases_in_order({some_benchmark(
      {some_row("fast", 8, 1e-3, 0), some_row("fast", 8, 3e-3, 1), some_row("fast", 8, 2e-3, 2)})});
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].kernel_s()->value, 2e-3);
  EXPECT_EQ(cases[0].kernel_s()->range->high, 3e-3);
}

TEST(ReportedCases, HaveNoFiguresWhenAnyProcessGotItWrong) {
  BenchRow wrong = some_row("fast", 8, 1e-3, 1);
  wrong.valid = false;
  wrong.observed = Outcome::wrong;
  wrong.explanation = "3 of 8 wrong";
  const auto cases = cases_in_order({some_benchmark({some_row("fast", 8, 1e-3, 0), wrong})});
  EXPECT_FALSE(cases[0].kernel_s());
  EXPECT_EQ(cases[0].observed, Outcome::wrong);
  EXPECT_EQ(cases[0].explanation, "3 of 8 wrong");
}

TEST(ReportedCases, HaveNoFiguresWhenTheyAreWrongOnPurpose) {
  BenchRow mistake = some_row("racy", 8, 1e-3);
  mistake.expected = mistake.observed = Outcome::race;
  EXPECT_FALSE(cases_in_order({some_benchmark({mistake})})[0].kernel_s());
}

TEST(Sections, DifferInTheirOptionsAndShareTheReference) {
  const auto sections = bench_sections(cases_in_order(
      {some_benchmark({some_reference(8, 1), with_option(some_row("fast", 8, 1), "distribution", "sorted"),
                       with_option(some_row("fast", 8, 1), "distribution", "uniform"),
                       with_option(some_row("slow", 8, 1), "distribution", "uniform")})}));
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].title(), "reduction · distribution=sorted");
  EXPECT_EQ(sections[0].same_options, "seed=42");
  EXPECT_EQ(sections[0].cases.size(), 2u);
  EXPECT_EQ(sections[1].cases.size(), 3u);
  EXPECT_EQ(sections[1].cases[0].what.variant, "reference");
}

TEST(Sections, KeepSizesTogetherThatOptionsSay) {
  const auto sections = bench_sections(
      cases_in_order({some_benchmark({with_option(some_row("fast", 64, 1), "width", std::uint64_t{8}),
                                      with_option(some_row("fast", 256, 1), "width", std::uint64_t{16})})}));
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].title(), "reduction");
  EXPECT_EQ(sections[0].sizes(), (std::vector<std::size_t>{64, 256}));
}

TEST(Sections, TellBlockSizesApart) {
  BenchRow large = some_row("fast", 8, 1);
  large.what.block_size = 1024;
  const auto sections =
      bench_sections(cases_in_order({some_benchmark({some_reference(8, 1), some_row("fast", 8, 1), large})}));
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].title(), "reduction");
  EXPECT_EQ(sections[1].title(), "reduction · block=1024");
  EXPECT_EQ(sections[1].cases.size(), 2u);
}

TEST(CountFigures, AddTheCountsOfOneKind) {
  const CaseFigures one = cases_in_order({some_simulated_benchmark()})[0];
  EXPECT_EQ(sum_of_counts(one, "sectors"), 4097);
  EXPECT_EQ(sum_of_counts(one, "wavefronts"), std::nullopt);
  const auto figures = count_figures(one);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[1].name, "active lanes");
  EXPECT_EQ(count_text(figures[1].value), "16.5");
  EXPECT_EQ(count_text(4097), "4 097");
}

TEST(BenchRates, AreOfOperationsWhereThoseAreTheLimit) {
  Traffic traffic{.bytes_read = 8, .bytes_written = 4, .operations = 100};
  EXPECT_EQ(bench_rate(traffic, 2), 6);
  traffic.limited_by_operations = true;
  EXPECT_EQ(bench_rate(traffic, 2), 50);
  EXPECT_EQ(bench_rate({}, 2), std::nullopt);
}

}  // namespace
}  // namespace gpulab::bench
