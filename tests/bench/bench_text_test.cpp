#include "bench/bench_formats.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/some_benchmark.hpp"
#include "text_contains.hpp"

namespace gpulab::bench {
namespace {

TEST(BenchText, HasARowForEachCaseWithItsTimeAndRate) {
  const std::string text = bench_text(some_sweep(), {.width = 100});
  EXPECT_TRUE(contains(text, "bench · Some GPU · 1 process · 2026-03-01T09:30:00Z")) << text;
  EXPECT_TRUE(contains(text, "reduction · seed=42\n"));
  EXPECT_TRUE(contains(text, "fast       16 777 216  50.0 us  ± 1.0 %  1 342\n")) << text;
  EXPECT_TRUE(contains(text, "reference  16 777 216  64.0 ms")) << text;
}

TEST(BenchText, FitsItsWidth) {
  for (const unsigned width : {40u, 80u})
    for (const BenchResult& result : {some_sweep(), some_simulated_benchmark()})
      for (const std::string& line : lines_of(bench_text(result, {.width = width})))
        EXPECT_LE(display_width(line), width) << line;
}

TEST(BenchText, ShowsCountsOnTheSimulatorAndNoTimes) {
  const std::string text = bench_text(some_simulated_benchmark(), {.width = 100});
  EXPECT_TRUE(contains(text, "fast     1 024      129          16.5")) << text;
  EXPECT_FALSE(contains(text, "cold")) << text;
}

TEST(BenchText, SaysWhatIsInvalidInPlaceOfFigures) {
  BenchResult result = some_sweep();
  result.rows[5].valid = false;
  result.rows[5].observed = Outcome::wrong;
  result.rows[5].explanation = "3 of 8 wrong";
  const std::string text = bench_text(result, {.width = 100});
  EXPECT_TRUE(contains(text, "fast       16 777 216  INVALID: wrong: 3 of 8 wrong")) << text;
  EXPECT_FALSE(contains(text, "50.0 us")) << text;
}

TEST(BenchText, SaysThatItIsNotComplete) {
  BenchResult result = some_sweep();
  result.plan.rows = 40;
  result.stopped_by = "SIGINT";
  EXPECT_TRUE(contains(bench_text(result, {}), "not complete: 6 of 40 rows were measured (SIGINT)"));
}

TEST(BenchText, SaysAWarningOnce) {
  BenchResult result = some_sweep();
  result.rows[1].warnings = result.rows[2].warnings = {"the clock fell"};
  EXPECT_TRUE(
      contains(bench_text(result, {}), "warning: the clock fell (reduction naive 262 144 and 1 more)"));
}

TEST(BenchText, HasTheClaimsThatWereTested) {
  BenchResult result = some_sweep();
  const Claim claim = at_least(2, "fast", "naive");
  result.claims = {{"reduction", 1 << 24, {claim, ClaimVerdict::holds, 8.0}},
                   {"reduction", 1 << 18, {claim, ClaimVerdict::needs_gpu, {}}}};
  const std::string text = bench_text(result, {.width = 100});
  EXPECT_TRUE(contains(text, "holds: reduction, 16 777 216: fast is at least 2x as fast as naive (8.0x)"))
      << text;
  EXPECT_FALSE(contains(text, "needs a GPU"));
}

TEST(BenchText, SaysAClaimOnceForTheSizesWithTheSameVerdict) {
  BenchResult result = some_sweep();
  const Claim claim = at_least(2, "fast", "naive");
  result.claims = {{"reduction", 1024, {claim, ClaimVerdict::does_not_hold, 1.5}},
                   {"reduction", 4096, {claim, ClaimVerdict::holds, 4.0}},
                   {"reduction", 65536, {claim, ClaimVerdict::holds, 3.0}},
                   {"reduction", 4096, {claim, ClaimVerdict::needs_simulator, 1.0}}};
  const std::string text = bench_text(result, {.width = 120});
  EXPECT_TRUE(contains(text,
                       "holds at 2 sizes: reduction, 4 096 to 65 536: fast is at least 2x as fast as naive "
                       "(3.0x to 4.0x)\n"))
      << text;
  EXPECT_TRUE(contains(text, "does not hold: reduction, 1 024: ")) << text;
  EXPECT_FALSE(contains(text, "simulator")) << text;
}

TEST(BenchText, WritesActiveLanesInOneForm) {
  BenchResult result = some_simulated_benchmark();
  result.rows[0].counts["global_load_requests"] = 1000;
  result.rows[0].counts["global_load_active_lanes"] = 31'990;
  const std::string text = bench_text(result, {.width = 100});
  EXPECT_TRUE(contains(text, " 32\n")) << text;
  EXPECT_FALSE(contains(text, "32.0")) << text;
}

TEST(BenchText, NamesTheFilesOfSeveralDocuments) {
  const std::string text = bench_text({some_sweep(), some_sweep()}, {"base.json", "new.json"}, {});
  EXPECT_TRUE(contains(text, "── base.json\nbench")) << text;
  EXPECT_TRUE(contains(text, "── new.json\nbench"));
}

TEST(BenchPlot, DrawsRatesOverSize) {
  const std::string text = bench_plot(some_sweep(), {.width = 80});
  EXPECT_TRUE(contains(text, "reduction\nGB/s\n")) << text;
  EXPECT_TRUE(contains(text, "a reference   b naive   c fast"));
  EXPECT_LE(lines_of(text).size(), 24u);
}

TEST(BenchPlot, DrawsTimesOfAProblemWithoutTraffic) {
  BenchResult result = some_sweep();
  for (BenchRow& row : result.rows) row.traffic = {};
  EXPECT_TRUE(contains(bench_plot(result, {.width = 80}), "\ntime\n"));
}

TEST(BenchPlot, SaysWhatItNeedsForOneSize) {
  EXPECT_TRUE(contains(bench_plot(some_simulated_benchmark(), {.width = 80}),
                       "only size 1 024 was measured; a plot needs several"));
}

}  // namespace
}  // namespace gpulab::bench
