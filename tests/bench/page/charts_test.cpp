#include "bench/page/chart.hpp"
#include "bench/some_benchmark.hpp"
#include "test.hpp"

namespace gpulab::bench::page {
namespace {

BenchSection section_of(const BenchResult& result) {
  return bench_sections(cases_in_order({result})).at(0);
}
ChartLimits limits_of(const BenchResult& result) {
  return {result.device, result.ceilings};
}
std::vector<std::string> names(const Chart& chart) {
  std::vector<std::string> names;
  for (const Curve& curve : chart.curves) names.push_back(curve.name);
  return names;
}

TEST(SizeFigures, AreTimeAndRateWithLimitsAndTheCacheLine) {
  const auto charts = size_charts(section_of(some_sweep()), limits_of(some_sweep()), "s");
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].title, "Time over size");
  EXPECT_EQ(names(charts[0]), (std::vector<std::string>{"reference (CPU)", "naive", "fast",
                                                        "the data fill the L2 cache, 4.00 MiB"}));
  EXPECT_EQ(charts[1].title, "GB/s over size");
  EXPECT_EQ(names(charts[1])[3], "measured ceiling (copy), 3 000 GB/s");
  EXPECT_EQ(names(charts[1])[4], "theoretical peak, 4 000 GB/s");
}

TEST(SizeFigures, PutTheCacheLineWhereTheBytesOfTheProblemFillTheCache) {
  const auto charts = size_charts(section_of(some_sweep()), limits_of(some_sweep()), "s");
  EXPECT_NEAR(charts[0].curves.back().points[0].x, 1 << 20, 1);  // of four bytes each, and 4 MiB of cache
}

TEST(SizeFigures, SwapTheEndsOfATimesRangeForARate) {
  const auto charts = size_charts(section_of(some_sweep()), limits_of(some_sweep()), "s");
  const ChartPoint& fast = charts[1].curves[2].points[1];
  EXPECT_NEAR(fast.y, 4.0 * (1 << 24) / 5e-5, 1);
  EXPECT_LT(fast.range->low, fast.y);
  EXPECT_GT(fast.range->high, fast.y);
}

TEST(SizeFigures, HaveATableWithARowForEachCurve) {
  const auto charts = size_charts(section_of(some_sweep()), limits_of(some_sweep()), "s");
  EXPECT_EQ(charts[0].table.titles, (std::vector<std::string>{"variant", "2¹⁸", "2²⁴"}));
  ASSERT_EQ(charts[0].table.rows.size(), 3u);
  EXPECT_EQ(charts[0].table.rows[2],
            (std::vector<std::string>{"fast", "5.00 us ± 1.0 %", "50.0 us ± 1.0 %"}));
}

TEST(SizeFigures, AreNotThereForOneSizeOrTheSimulator) {
  const BenchResult single = some_benchmark({some_row("fast", 8, 1)});
  EXPECT_TRUE(size_charts(section_of(single), limits_of(single), "s").empty());
  BenchResult simulated = some_sweep();
  simulated.device.kind = "simulator";
  EXPECT_TRUE(size_charts(section_of(simulated), limits_of(simulated), "s").empty());
}

TEST(VariantBars, HasABarForEachVariantAtTheLargestSize) {
  const auto charts = variant_charts(section_of(some_sweep()), limits_of(some_sweep()), "s");
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts[0].title, "The variants at 2²⁴ work items");
  EXPECT_EQ(charts[0].categories, (std::vector<std::string>{"reference (CPU)", "naive", "fast"}));
  EXPECT_EQ(charts[0].curves[2].points[0].label, "1 342 GB/s, 50.0 us");
  EXPECT_EQ(charts[0].table.rows[2][5], "45 %");
  EXPECT_EQ(charts[0].table.rows.size(), 6u);
  EXPECT_EQ(charts[0].table.rows[5][1], size_words(some_sweep().rows[2].what.size));
  EXPECT_TRUE(contains(charts[0].sentence, "fast: 1 342 GB/s, 50.0 us."));
}

TEST(VariantBars, IsOfTimesWhereAProblemHasNoTraffic) {
  BenchResult result = some_sweep();
  for (BenchRow& row : result.rows) row.traffic = {};
  const auto charts = variant_charts(section_of(result), limits_of(result), "s");
  EXPECT_EQ(charts[0].x.unit, Unit::seconds);
  EXPECT_EQ(charts[0].curves.size(), 3u);  // and no ceiling
}

TEST(VariantBars, LeavesOutWhatIsNotValid) {
  BenchResult result = some_sweep();
  result.rows[5].valid = false;
  EXPECT_EQ(variant_charts(section_of(result), limits_of(result), "s")[0].categories.size(), 2u);
}

TEST(EndToEnd, StacksTheCopiesAndTheKernel) {
  BenchResult result = some_sweep();
  result.rows[5].times[BenchTime::to_device] = some_timing(1e-3);
  result.rows[5].times[BenchTime::to_host] = some_timing(1e-5);
  const auto charts = end_to_end_charts(section_of(result), limits_of(result), "s");
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts[0].categories, std::vector<std::string>{"fast"});
  EXPECT_EQ(names(charts[0]), (std::vector<std::string>{"copy to device", "kernel", "copy back"}));
  EXPECT_EQ(charts[0].curves[0].points[0].label, "1.06 ms");
  EXPECT_TRUE(contains(charts[0].note, "much longer: reference, 64.0 ms"));
}

TEST(EndToEnd, IsNotThereWithoutCopies) {
  EXPECT_TRUE(end_to_end_charts(section_of(some_sweep()), limits_of(some_sweep()), "s").empty());
}

TEST(EnergyFigure, IsThereWhereEnergyWasMeasured) {
  BenchResult result = some_sweep();
  EXPECT_TRUE(energy_charts(section_of(result), limits_of(result), "s").empty());
  result.rows[5].energy = Energy{0.02, 400, 1};
  const auto charts = energy_charts(section_of(result), limits_of(result), "s");
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts[0].table.rows, (std::vector<std::vector<std::string>>{{"fast", "2²⁴", "20.0 mJ"}}));
}

TEST(CountedFigures, HaveBarsForEachCount) {
  const auto charts = counted_charts(section_of(some_simulated_benchmark()), "s");
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].title, "Sectors of global memory, 2¹⁰ work items");
  EXPECT_EQ(charts[0].table.rows[0], (std::vector<std::string>{"naive", "4 097"}));
  EXPECT_EQ(charts[1].title, "Active lanes, 2¹⁰ work items");
}

TEST(CountedFigures, AreOverSizeWhereThereAreSeveral) {
  const BenchResult result =
      some_benchmark({some_counted_row("naive", 2048, 1), some_counted_row("fast", 1024, 0),
                      some_counted_row("naive", 1024, 4096)});
  const auto charts = counted_charts(section_of(result), "s");
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].title, "Sectors of global memory over size");
  EXPECT_TRUE(charts[0].x.logarithmic && charts[0].y.logarithmic);
  ASSERT_EQ(names(charts[0]), (std::vector<std::string>{"naive", "fast"}));
  EXPECT_EQ(charts[0].curves[0].points.size(), 2u);
  EXPECT_EQ(charts[0].curves[0].points[0].y, 4097);
  EXPECT_EQ(charts[0].table.titles, (std::vector<std::string>{"variant", "2¹⁰", "2¹¹"}));
  EXPECT_EQ(charts[0].table.rows[0], (std::vector<std::string>{"naive", "4 097", "2"}));
}

TEST(CountedFigures, LeaveOutWhatIsAlwaysZero) {
  BenchResult result = some_simulated_benchmark();
  for (BenchRow& row : result.rows) row.counts["global_atomic_lanes_at_one_address"] = 0;
  EXPECT_EQ(counted_charts(section_of(result), "s").size(), 2u);
}

TEST(Roofline, PutsKernelsBelowTheMeasuredRoof) {
  BenchResult result = some_sweep();
  for (BenchRow& row : result.rows) row.traffic.operations = row.traffic.bytes_read / 4;
  const auto charts = roofline_charts({section_of(result)}, limits_of(result), "r");
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(names(charts[0]),
            (std::vector<std::string>{"naive", "fast", "measured ceiling", "theoretical peak"}));
  EXPECT_EQ(charts[0].curves[1].points[0].x, 0.25);
  EXPECT_NEAR(charts[0].curves[1].points[0].y, (1 << 24) / 5e-5, 1);
  EXPECT_EQ(charts[0].table.rows[1][5], "45 %");
  const auto& roof = charts[0].curves[2].points;
  ASSERT_EQ(roof.size(), 3u);  // the slope, the ridge, the level part
  EXPECT_NEAR(roof[1].x, 5e13 / 3e12, 1e-9);
  EXPECT_EQ(roof[2].y, 5e13);
}

TEST(Roofline, IsNotThereWithoutFloatingPointOperations) {
  EXPECT_TRUE(roofline_charts({section_of(some_sweep())}, limits_of(some_sweep()), "r").empty());
}

Change some_change(ChangeKind kind, double ratio) {
  return {.what = {.lesson = "reduction", .variant = std::string(name_of(kind)), .size = 1024},
          .figure = "cold",
          .kind = kind,
          .before = 1e-3,
          .now = ratio * 1e-3,
          .ratio = ratio,
          .ratio_range = Interval{ratio - 0.01, ratio + 0.01}};
}

TEST(ComparisonFigure, HasABarForBeforeAndOneForNowInTheColourOfItsVerdict) {
  const Comparison comparison{.changes = {some_change(ChangeKind::regressed, 1.2),
                                          some_change(ChangeKind::improved, 0.8),
                                          some_change(ChangeKind::same, 1.0)}};
  const auto charts = comparison_charts(comparison, "c");
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(names(charts[0]),
            (std::vector<std::string>{"before", "now, regressed", "now, improved", "now, same"}));
  EXPECT_EQ(charts[0].categories[0], "regressed, cold, 2¹⁰");
  EXPECT_EQ(charts[0].curves[0].points[1].label, "1.00 ms");
  EXPECT_EQ(charts[0].curves[2].points[0].label, "800 us, 0.800x, improved");
  EXPECT_NEAR(charts[0].band->high, 1.03, 1e-12);
  EXPECT_EQ(charts[0].table.rows[0][3], "1.200 (1.190 to 1.210)");
}

TEST(ComparisonFigure, DrawsNoCountThatStayedTheSame) {
  Change count = some_change(ChangeKind::same, 1);
  count.unit = FigureUnit::count;
  EXPECT_TRUE(comparison_charts({.changes = {count}}, "c").empty());
}

TEST(ComparisonFigure, HasNoBandForCounts) {
  Change count = some_change(ChangeKind::regressed, 2);
  count.unit = FigureUnit::count;
  const Chart chart = comparison_charts({.changes = {count}}, "c").at(0);
  EXPECT_FALSE(chart.band);
  EXPECT_FALSE(contains(chart.note, "band"));
}

TEST(ComparisonFigure, DrawsTheWorstAndSaysHowManyItDoesNot) {
  Comparison comparison;
  for (int i = 0; i < 100; ++i) comparison.changes.push_back(some_change(ChangeKind::same, 1));
  comparison.changes.push_back(some_change(ChangeKind::regressed, 1.5));
  const Chart chart = comparison_charts(comparison, "c").at(0);
  EXPECT_EQ(chart.curves[1].name, "now, regressed");
  EXPECT_LT(chart.categories.size(), 50u);
  EXPECT_TRUE(contains(chart.note, "more are in the table only"));
  EXPECT_EQ(chart.table.rows.size(), 101u);
}

TEST(FiguresJson, CannotEndTheScriptThatItStandsIn) {
  Chart chart{.id = "f", .curves = {{"</script><!--", Role::kernel, 0, {{1, 2}}}}};
  EXPECT_FALSE(contains(charts_json({chart}), "<"));
  EXPECT_TRUE(contains(charts_json({chart}), R"("name":"\u003c/script>\u003c!--")"));
}

}  // namespace
}  // namespace gpulab::bench::page
