#include "bench/compare.hpp"

#include "bench/bench_fixtures.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace {

Change only_change(const BenchResult& before, const BenchResult& now, const ComparisonRules& rules = {}) {
  const Comparison comparison = compared({before}, {now}, rules);
  EXPECT_EQ(comparison.changes.size(), 1u);
  return comparison.changes.front();
}

std::string refusal(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now) {
  return message_thrown<UsageError>([&] { compared(before, now); }, "it was compared");
}

BenchResult with_clocks(BenchResult result, const std::vector<double>& mhz) {
  for (BenchRow& row : result.rows)
    for (auto& [time, timing] : row.times)
      for (const double clock : mhz) timing.clocks_hz.push_back(clock * 1e6);
  return result;
}

BenchResult with_energy(const std::vector<double>& joules) {
  std::vector<BenchRow> rows;
  for (std::size_t process = 0; process < joules.size(); ++process) {
    rows.push_back(right_row(some_case(), static_cast<int>(process)));
    rows.back().energy = Energy{.joules_per_run = joules[process], .watts = 300, .seconds = 1};
  }
  return on_gpu(rows);
}

TEST(Comparison, CallsALargeSlowdownARegression) {
  const Change change = only_change(cold_in({100, 101, 99}), cold_in({106, 105, 107}));
  EXPECT_EQ(change.kind, ChangeKind::regressed);
  EXPECT_EQ(change.figure, "cold");
  EXPECT_EQ(change.unit, FigureUnit::seconds);
  EXPECT_DOUBLE_EQ(*change.before, 100e-6);
  EXPECT_DOUBLE_EQ(*change.now, 106e-6);
  EXPECT_DOUBLE_EQ(*change.ratio, 1.06);
  EXPECT_DOUBLE_EQ(change.ratio_range->low, 105.0 / 101);
  EXPECT_DOUBLE_EQ(change.ratio_range->high, 107.0 / 99);
}

TEST(Comparison, CallsAShorterTimeAnImprovement) {
  EXPECT_EQ(only_change(cold_in({106, 105, 107}), cold_in({100, 101, 99})).kind, ChangeKind::improved);
}

TEST(Comparison, CallsWhatLiesWithinTheThresholdTheSame) {
  EXPECT_EQ(only_change(cold_in({100, 101, 99}), cold_in({100.5, 101, 99.5})).kind, ChangeKind::same);
  EXPECT_EQ(only_change(cold_in({100, 100, 100}), cold_in({102, 102, 102})).kind, ChangeKind::same);
}

TEST(Comparison, TakesTheThresholdThatItIsGiven) {
  const BenchResult before = cold_in({100, 100, 100}), now = cold_in({102, 102, 102});
  EXPECT_EQ(only_change(before, now, {.threshold = 0.01}).kind, ChangeKind::regressed);
  EXPECT_EQ(only_change(before, cold_in({106, 106, 106}), {.threshold = 0.1}).kind, ChangeKind::same);
}

TEST(Comparison, IsInconclusiveWhereRangesOverlap) {
  const Change change = only_change(cold_in({100, 106, 99}), cold_in({106, 99, 107}));
  EXPECT_EQ(change.kind, ChangeKind::inconclusive);
  EXPECT_EQ(change.reason, "between 0.934 and 1.081: measure again with more --runs");
}

// The most frequent false alarm: two of three processes in a slow mode, and the third one slower than usual
// by chance.
TEST(Comparison, WantsAGapBetweenTheRanges) {
  const BenchResult before = cold_in({100, 100.1, 99.9});
  EXPECT_EQ(only_change(before, cold_in({104, 104.1, 100.2})).kind, ChangeKind::inconclusive);
  EXPECT_EQ(only_change(before, cold_in({104, 104.1, 100.7})).kind, ChangeKind::regressed);
  EXPECT_EQ(only_change(cold_in({104, 104.1, 100.2}), before).kind, ChangeKind::inconclusive);
}

// The largest of ten times would be that of a disturbed process.
TEST(Comparison, TakesOrderStatisticsFromSixProcessesOn) {
  const BenchResult before = cold_in({100, 100, 100, 100, 100, 100, 100, 100, 100, 120});
  const BenchResult now = cold_in({106, 106, 106, 106, 106, 106, 106, 106, 106, 106});
  EXPECT_EQ(only_change(before, now).kind, ChangeKind::regressed);
}

TEST(Comparison, TakesTheIntervalOfTheSamplesOfASingleProcess) {
  const Change change = only_change(cold_in({100}), cold_in({106}));
  EXPECT_EQ(change.kind, ChangeKind::regressed);
  EXPECT_NEAR(change.ratio_range->low, 1.06 * 0.998 / 1.002, 1e-9);
  const Comparison comparison = compared({cold_in({100})}, {cold_in({106, 106, 106})});
  ASSERT_EQ(comparison.remarks.size(), 2u);
  EXPECT_EQ(comparison.remarks.front(), "if what regressed grew on purpose, add --allow cold");
  EXPECT_TRUE(contains(comparison.remarks.back(), "one process"));
}

TEST(Comparison, IsInconclusiveForASingleProcessWithoutAnInterval) {
  BenchResult before = cold_in({100});
  before.rows[0].times[BenchTime::cold].confidence_s.reset();
  const Change change = only_change(before, cold_in({106, 106, 106}));
  EXPECT_EQ(change.kind, ChangeKind::inconclusive);
  EXPECT_TRUE(contains(change.reason, "--runs 3"));
}

TEST(Comparison, AddsUpTheProcessesOfSeveralDocuments) {
  const Comparison comparison =
      compared({cold_in({100}), cold_in({101}), cold_in({99})}, {cold_in({106}), cold_in({105, 107})});
  EXPECT_EQ(comparison.processes_before, 3u);
  EXPECT_EQ(comparison.processes_now, 3u);
  EXPECT_EQ(comparison.changes.front().kind, ChangeKind::regressed);
  EXPECT_DOUBLE_EQ(comparison.changes.front().ratio_range->low, 105.0 / 101);
}

TEST(Comparison, IgnoresADifferenceThatTheClockDoesNotResolve) {
  const Change grown = only_change(cold_in({4, 4, 4}), cold_in({4.4, 4.4, 4.4}));
  EXPECT_EQ(grown.kind, ChangeKind::same);
  EXPECT_EQ(grown.reason, "less than 500 ns");
  EXPECT_EQ(only_change(cold_in({4, 4, 4}), cold_in({4.08, 4.08, 4.08})).reason, "") << "within 3 %";
  EXPECT_EQ(only_change(cold_in({4.4, 4.4, 4.4}), cold_in({4, 4, 4})).reason, "") << "it did not grow";
  EXPECT_EQ(only_change(cold_in({4, 4, 4}), cold_in({4.6, 4.6, 4.6})).kind, ChangeKind::regressed);
  const ComparisonRules any_difference{.min_difference_s = 0};
  EXPECT_EQ(only_change(cold_in({4, 4, 4}), cold_in({4.4, 4.4, 4.4}), any_difference).kind,
            ChangeKind::regressed);
}

TEST(Comparison, IsInconclusiveWhereOneProcessIsMuchSlowerThanTheClockResolves) {
  BenchResult before = cold_in({5.64, 5.64, 5.64}), now = cold_in({5.62, 5.65, 7.36});
  for (const BenchTime time : {BenchTime::cold, BenchTime::steady}) {
    for (BenchResult* result : {&before, &now})
      for (BenchRow& row : result->rows) row.times = {{time, row.times.begin()->second}};
    EXPECT_EQ(only_change(before, now).kind, ChangeKind::inconclusive);
    EXPECT_EQ(only_change(now, now).kind, ChangeKind::inconclusive);
  }
  EXPECT_EQ(only_change(cold_in({4, 4, 4}), cold_in({4, 4, 4.4})).kind, ChangeKind::same) << "0.4 us";
}

TEST(Comparison, ResolvesLaunchesOneAfterAnotherMoreFinely) {
  BenchResult before = cold_in({4, 4, 4}), now = cold_in({4, 4, 4});
  for (BenchRow& row : before.rows) row.times = {{BenchTime::steady, taking_us(1)}};
  for (BenchRow& row : now.rows) row.times = {{BenchTime::steady, taking_us(1.1)}};
  EXPECT_EQ(only_change(before, now).kind, ChangeKind::regressed);
}

TEST(Comparison, IsInconclusiveWhereClocksDiffer) {
  const Change change = only_change(with_clocks(cold_in({100, 100, 100}), {1980, 1980, 1980}),
                                    with_clocks(cold_in({110, 110, 110}), {1800, 1800, 1800}));
  EXPECT_EQ(change.kind, ChangeKind::inconclusive);
  EXPECT_EQ(change.reason,
            "the multiprocessors ran at 1 980 MHz before and 1 800 MHz now: measure both at the same clock");
}

TEST(Comparison, IsInconclusiveWhereAClockDrifts) {
  const BenchResult before = with_clocks(cold_in({100, 100, 100}), {1980, 1980, 1980});
  const Change change =
      only_change(before, with_clocks(cold_in({110, 110, 110}), {1980, 1980, 1980, 1980, 1980, 1900, 1900}));
  EXPECT_EQ(change.kind, ChangeKind::inconclusive);
  EXPECT_TRUE(contains(change.reason, "from 1 900 MHz to 1 980 MHz now"));
}

TEST(Comparison, IgnoresAClockThatWavers) {
  const std::vector<double> wavering = {1980, 1965, 1980};
  EXPECT_EQ(only_change(with_clocks(cold_in({100, 100, 100}), wavering),
                        with_clocks(cold_in({110, 110, 110}), wavering))
                .kind,
            ChangeKind::regressed);
}

TEST(Comparison, LeavesClocksOutOfWhatIsTheSame) {
  EXPECT_EQ(only_change(with_clocks(cold_in({100, 100, 100}), {1980}),
                        with_clocks(cold_in({100, 100, 100}), {1800}))
                .kind,
            ChangeKind::same);
}

TEST(Comparison, JudgesEnergyByThreeTimesTheThresholdAlone) {
  const BenchResult before = with_energy({1, 1.001, 0.999});
  EXPECT_EQ(only_change(before, with_energy({1.08, 1.081, 1.079})).kind, ChangeKind::same);
  const Change change = only_change(before, with_energy({1.1, 1.101, 1.099}));
  EXPECT_EQ(change.kind, ChangeKind::regressed);
  EXPECT_EQ(change.figure, "energy");
  EXPECT_EQ(change.unit, FigureUnit::joules);
  EXPECT_EQ(only_change(with_energy({1e-9, 1e-9}), with_energy({2e-9, 2e-9})).kind, ChangeKind::regressed);
  EXPECT_EQ(only_change(with_energy({1}), with_energy({2})).kind, ChangeKind::inconclusive);
}

TEST(Comparison, ShowsTheCpuAndTheBusButDoesNotJudgeThem) {
  BenchRow before = right_row({.lesson = "histogram", .variant = "reference", .size = 1024});
  before.kind = BenchKind::cpu;
  before.times[BenchTime::cpu] = taking_us(100);
  BenchRow now = before;
  now.times[BenchTime::cpu] = taking_us(200);
  BenchRow kernel_before = cold_row(some_case(), 100), kernel_now = kernel_before;
  kernel_before.times[BenchTime::to_device] = taking_us(100);
  kernel_now.times[BenchTime::to_device] = taking_us(200);
  const Comparison comparison = compared({on_gpu({before, kernel_before})}, {on_gpu({now, kernel_now})});
  EXPECT_EQ(comparison.count(ChangeKind::not_judged), 2u);
  EXPECT_EQ(comparison.count(ChangeKind::same), 1u);
  EXPECT_EQ(*comparison.changes.back().ratio, 2);
  EXPECT_EQ(exit_code_of(comparison), ExitCode::ok);
}

TEST(Comparison, ComparesCountsExactly) {
  const auto kind = [](std::uint64_t before, std::uint64_t now) {
    return only_change(on_simulator({{"global_load_sectors", before}}),
                       on_simulator({{"global_load_sectors", now}}))
        .kind;
  };
  EXPECT_EQ(kind(1'000'000, 1'000'000), ChangeKind::same);
  EXPECT_EQ(kind(1'000'000, 1'000'001), ChangeKind::regressed);
  EXPECT_EQ(kind(1'000'000, 999'999), ChangeKind::improved);
  EXPECT_EQ(kind(0, 1), ChangeKind::regressed);
}

TEST(Comparison, JudgesOnlyCountsThatCostTime) {
  const auto kind = [](const char* name) {
    const Comparison comparison = compared({on_simulator({{name, 100}, {"global_load_sectors", 1}})},
                                           {on_simulator({{name, 200}, {"global_load_sectors", 1}})});
    return comparison.changes.front().figure == name ? comparison.changes.front().kind
                                                     : comparison.changes.back().kind;
  };
  for (const char* name : {"global_store_sectors", "global_load_bytes", "shared_load_wavefronts",
                           "global_atomic_lanes_at_one_address"})
    EXPECT_EQ(kind(name), ChangeKind::regressed) << name;
  for (const char* name : {"global_load_requests", "shared_store_active_lanes", "fiber_switches"})
    EXPECT_EQ(kind(name), ChangeKind::not_judged) << name;
}

TEST(Comparison, TakesAMissingCountForZeroIfOtherAccessesHaveIt) {
  const BenchResult loads = on_simulator({{"global_load_sectors", 8}});
  const Comparison comparison =
      compared({loads}, {on_simulator({{"global_load_sectors", 8}, {"global_atomic_sectors", 2}})});
  EXPECT_EQ(comparison.changes.front().kind, ChangeKind::regressed);
  EXPECT_EQ(comparison.changes.front().figure, "global_atomic_sectors");
  EXPECT_EQ(comparison.changes.front().before, 0);
  const Comparison fewer =
      compared({on_simulator({{"global_load_sectors", 8}, {"global_atomic_sectors", 2}})}, {loads});
  EXPECT_EQ(fewer.changes.front().kind, ChangeKind::improved);
}

TEST(Comparison, CallsACountMissingIfOnlyOthersOfItsAccessAreLeft) {
  const Comparison comparison = compared(
      {on_simulator({{"global_load_requests", 4}, {"global_load_sectors", 8}, {"global_load_bytes", 128}})},
      {on_simulator({{"global_load_requests", 4}, {"global_load_bytes", 128}})});
  EXPECT_EQ(comparison.changes.front().kind, ChangeKind::missing);
  EXPECT_EQ(comparison.changes.front().figure, "global_load_sectors");
  EXPECT_EQ(comparison.count(ChangeKind::improved), 0u);
}

TEST(Comparison, CallsACountMissingIfOnlyOtherAccessesHaveIt) {
  const Comparison comparison = compared(
      {on_simulator({{"global_load_bytes", 4}, {"global_load_sectors", 8}, {"global_store_sectors", 8}})},
      {on_simulator({{"global_load_bytes", 4}, {"global_store_sectors", 8}})});
  EXPECT_EQ(comparison.changes.front().kind, ChangeKind::missing);
  EXPECT_EQ(comparison.count(ChangeKind::improved), 0u);
}

TEST(Comparison, CallsItAnImprovementIfAnAccessIsNoLongerMade) {
  const Comparison comparison =
      compared({on_simulator({{"global_load_sectors", 8}, {"shared_load_wavefronts", 2}})},
               {on_simulator({{"global_load_sectors", 8}})});
  EXPECT_EQ(comparison.count(ChangeKind::improved), 1u);
  EXPECT_EQ(comparison.count(ChangeKind::missing), 0u);
}

TEST(Comparison, FailsByStrictRulesWhereSomethingIsMissingInconclusiveOrIncomplete) {
  const ComparisonRules strict{.is_strict = true};
  const BenchResult whole = cold_in({100, 101, 99});
  EXPECT_EQ(exit_code_of(compared({whole}, {whole}, strict)), ExitCode::ok);
  BenchResult more = whole;
  more.rows.push_back(cold_row(some_case("other"), 100));
  EXPECT_EQ(exit_code_of(compared({more}, {whole})), ExitCode::ok);
  EXPECT_EQ(exit_code_of(compared({more}, {whole}, strict)), ExitCode::regression);
  EXPECT_EQ(exit_code_of(compared({whole}, {more}, strict)), ExitCode::ok) << "what is new fails nothing";
  const BenchResult wavering = cold_in({106, 99, 107});
  EXPECT_EQ(exit_code_of(compared({whole}, {wavering})), ExitCode::ok);
  EXPECT_EQ(exit_code_of(compared({whole}, {wavering}, strict)), ExitCode::regression);
  BenchResult stopped = whole;
  stopped.stopped_by = "it was interrupted";
  EXPECT_EQ(exit_code_of(compared({whole}, {stopped})), ExitCode::ok);
  EXPECT_EQ(exit_code_of(compared({whole}, {stopped}, strict)), ExitCode::regression);
  EXPECT_EQ(exit_code_of(compared({stopped}, {whole}, strict)), ExitCode::regression);
}

TEST(Comparison, CallsCountsNewIfSharedMemoryWasNotUsedBefore) {
  const Comparison comparison =
      compared({on_simulator({{"global_load_sectors", 8}})},
               {on_simulator({{"global_load_sectors", 4}, {"shared_load_wavefronts", 2}})});
  EXPECT_EQ(comparison.count(ChangeKind::improved), 1u);
  EXPECT_EQ(comparison.count(ChangeKind::is_new), 1u);
  EXPECT_EQ(exit_code_of(comparison), ExitCode::ok);
}

TEST(Comparison, TakesACountThatIsNewForZeroBeforeByStrictRules) {
  const BenchResult before = on_simulator({{"global_load_sectors", 8}}),
                    now = on_simulator({{"global_load_sectors", 8}, {"shared_load_wavefronts", 512}});
  const Comparison strict = compared({before}, {now}, {.is_strict = true});
  EXPECT_EQ(strict.changes.front().kind, ChangeKind::regressed);
  EXPECT_EQ(strict.changes.front().before, 0);
  EXPECT_EQ(exit_code_of(strict), ExitCode::regression);
  EXPECT_EQ(
      exit_code_of(compared({before}, {now}, {.is_strict = true, .may_grow = {"shared_load_wavefronts"}})),
      ExitCode::ok);
}

TEST(Comparison, CallsCountsNewIfOnlyGlobalAtomicsWereCountedBefore) {
  const Comparison comparison = compared({on_simulator({{"global_atomic_lanes_at_one_address", 8}})},
                                         {on_simulator({{"global_atomic_lanes_at_one_address", 1},
                                                        {"shared_atomic_lanes_at_one_address", 979}})});
  EXPECT_EQ(comparison.count(ChangeKind::improved), 1u);
  EXPECT_EQ(comparison.count(ChangeKind::is_new), 1u);
}

TEST(Comparison, AllowsMoreBytesInFewerSectors) {
  const BenchResult before = on_simulator({{"global_atomic_bytes", 100}, {"global_atomic_sectors", 100}});
  const auto changes_to = [&](double bytes, double sectors) {
    return compared({before},
                    {on_simulator({{"global_atomic_bytes", bytes}, {"global_atomic_sectors", sectors}})});
  };
  EXPECT_EQ(changes_to(106, 20).count(ChangeKind::allowed), 1u);
  EXPECT_EQ(exit_code_of(changes_to(106, 20)), ExitCode::ok);
  EXPECT_EQ(exit_code_of(changes_to(106, 100)), ExitCode::regression);
}

TEST(Comparison, IsInconclusiveForCountsThatDifferBetweenProcesses) {
  const BenchResult once = on_simulator({{"global_load_sectors", 8}}),
                    again = on_simulator({{"global_load_sectors", 9}});
  const Comparison comparison = compared({once}, {once, again});
  EXPECT_EQ(comparison.changes.front().kind, ChangeKind::inconclusive);
  EXPECT_TRUE(contains(comparison.changes.front().reason, "counted differently now"));
}

TEST(Comparison, RefusesDocumentsOfDifferentKernelsOnOneSide) {
  BenchResult base = on_simulator({{"global_load_sectors", 8}}), mine = base;
  base.plan.kernel_hashes["histogram"] = "1";
  mine.plan.kernel_hashes["histogram"] = "2";
  EXPECT_TRUE(contains(refusal({base}, {base, mine}), "documents now are of different kernels of histogram"));
  EXPECT_TRUE(contains(refusal({base, mine}, {base}), "documents before are of different kernels"));
  mine.rows.front().what.lesson = "matmul";
  EXPECT_NO_THROW(compared({base}, {base, mine})) << "the document has no rows of that lesson";
}

TEST(Comparison, IsCalledInvalidWhereARightResultIsWrongNow) {
  const Comparison comparison =
      compared({cold_in({100})}, {on_gpu({wrong_row(some_case(), "3 bins lost updates")})});
  EXPECT_EQ(comparison.changes.front().kind, ChangeKind::invalid);
  EXPECT_EQ(comparison.changes.front().reason, "3 bins lost updates");
  EXPECT_EQ(exit_code_of(comparison), ExitCode::wrong_result);
}

TEST(Comparison, ComparesNoFiguresOfWrongResults) {
  const BenchResult wrong = on_gpu({wrong_row(some_case(), "3 bins lost updates")});
  EXPECT_EQ(only_change(wrong, cold_in({100})).kind, ChangeKind::incomparable);
  EXPECT_EQ(only_change(wrong, wrong).kind, ChangeKind::incomparable);
}

TEST(Comparison, FailsStrictlyWhereAResultIsStillWrong) {
  const BenchResult wrong = on_gpu({wrong_row(some_case(), "3 bins lost updates")});
  const BenchResult with_other =
      on_gpu({wrong_row(some_case(), "3 bins lost updates"), wrong_row(some_case("other"), "zeros")});
  const ComparisonRules strict{.is_strict = true};
  EXPECT_EQ(exit_code_of(compared({wrong}, {wrong})), ExitCode::ok);
  EXPECT_EQ(exit_code_of(compared({wrong}, {wrong}, strict)), ExitCode::regression);
  EXPECT_EQ(exit_code_of(compared({wrong}, {with_other}, strict)), ExitCode::regression);
  EXPECT_EQ(exit_code_of(compared({wrong}, {cold_in({100})}, strict)), ExitCode::ok) << "a repair";
}

TEST(Comparison, RemarksOnAnotherVersionOfGpulab) {
  const BenchResult before = on_simulator({{"global_load_sectors", 1}});
  BenchResult now = before;
  EXPECT_TRUE(compared({before}, {now}).remarks.empty());
  now.facts.build.revision = "def5678";
  const Comparison comparison = compared({before}, {now}, {.is_strict = true});
  EXPECT_EQ(comparison.remarks, (std::vector<std::string>{
                                    "the versions of gpulab differ: 1.0.0 abc1234 before, 1.0.0 def5678 now; "
                                    "launches or inputs of a lesson may have changed"}));
  EXPECT_EQ(exit_code_of(comparison), ExitCode::ok);
}

TEST(Comparison, CallsWhatCouldNotBeRunMissing) {
  BenchRow row = right_row(some_case());
  row.valid = false;
  row.observed = row.expected = Outcome::not_run;
  row.explanation = "the GPU has too little memory";
  const Comparison comparison =
      compared({on_gpu({cold_row(some_case(), 100), cold_row(some_case("other"), 100)})},
               {on_gpu({row, cold_row(some_case("other"), 100)})});
  EXPECT_EQ(comparison.changes.front().kind, ChangeKind::missing);
  EXPECT_EQ(comparison.changes.front().reason, "not run: the GPU has too little memory");
  EXPECT_EQ(exit_code_of(comparison), ExitCode::ok);
}

TEST(Comparison, TellsWhatIsNewAndWhatIsMissing) {
  const BenchRow both = cold_row(some_case(), 100);
  const Comparison comparison = compared({on_gpu({both, cold_row(some_case("old"), 100)})},
                                         {on_gpu({both, cold_row(some_case("added"), 100)})});
  ASSERT_EQ(comparison.changes.size(), 3u);
  EXPECT_EQ(comparison.changes[0].kind, ChangeKind::missing);
  EXPECT_EQ(comparison.changes[0].what.variant, "old");
  EXPECT_EQ(comparison.changes[1].kind, ChangeKind::is_new);
  EXPECT_EQ(comparison.changes[1].what.variant, "added");
  EXPECT_EQ(comparison.changes[2].kind, ChangeKind::same);
}

TEST(Comparison, TakesOtherSeedsOptionsAndBlocksForOtherCases) {
  const BenchCase what = some_case();
  for (const BenchCase& other :
       {BenchCase{what.lesson, what.variant, what.size, 7, what.options},
        BenchCase{what.lesson, what.variant, what.size, 42, {{"distribution", std::string("sorted")}}},
        BenchCase{what.lesson, what.variant, what.size, 42, what.options, 64}}) {
    const Comparison comparison =
        compared({on_gpu({cold_row(what, 100), cold_row(other, 100)})}, {cold_in({100}, what)});
    EXPECT_EQ(comparison.count(ChangeKind::missing), 1u) << id_of(other);
  }
}

TEST(Comparison, PutsTheWorstFirst) {
  const auto with_times = [](double a_us, double b_us, double c_us) {
    std::vector<BenchRow> rows;
    for (int process = 0; process < 3; ++process)
      for (const auto& [variant, us] : {std::pair("a", a_us), std::pair("b", b_us), std::pair("c", c_us)})
        rows.push_back(cold_row(some_case(variant), us, process));
    return on_gpu(rows);
  };
  const Comparison comparison = compared({with_times(100, 100, 100)}, {with_times(110, 150, 50)});
  ASSERT_EQ(comparison.changes.size(), 3u);
  EXPECT_EQ(comparison.changes[0].what.variant, "b");
  EXPECT_EQ(comparison.changes[1].what.variant, "a");
  EXPECT_EQ(comparison.changes[2].kind, ChangeKind::improved);
  EXPECT_EQ(exit_code_of(comparison), ExitCode::regression);
}

TEST(Comparison, PutsWhatChangedAlikeInTheOrderOfVariants) {
  std::vector<BenchRow> before, now;
  for (const std::size_t size : {1024, 4096})
    for (const char* variant : {"b", "a"})
      for (int process = 0; process < 3; ++process) {
        before.push_back(cold_row(some_case(variant, size), 100, process));
        now.push_back(cold_row(some_case(variant, size), 150, process));
      }
  std::string order;
  for (const Change& change : compared({on_gpu(before)}, {on_gpu(now)}).changes)
    order += change.what.variant + std::to_string(change.what.size) + " ";
  EXPECT_EQ(order, "a1024 a4096 b1024 b4096 ");
}

TEST(Comparison, KeepsNoSamples) {
  const Comparison comparison = compared({cold_in({100})}, {cold_in({100})});
  EXPECT_TRUE(comparison.now[0].rows[0].times.at(BenchTime::cold).samples_s.empty());
}

TEST(Comparison, RefusesDifferentGpusAndSaysWhatDiffers) {
  const auto refusal_with = [](auto change) {
    BenchResult result = cold_in({100});
    change(result.device);
    return refusal({cold_in({100})}, {result});
  };
  EXPECT_EQ(refusal_with([](auto& gpu) { gpu.name = "Other GPU"; }),
            "the GPUs differ: Some GPU before, Other GPU now; measure both on the same GPU");
  EXPECT_TRUE(contains(refusal_with([](auto& gpu) { gpu.compute_capability_major = 8; }),
                       "the compute capabilities differ: 9.0 before, 8.0 now"));
  EXPECT_TRUE(contains(refusal_with([](auto& gpu) { gpu.multiprocessors = 114; }),
                       "multiprocessors differ: 132 before, 114 now"));
  EXPECT_TRUE(contains(refusal_with([](auto& gpu) { gpu.clock_hz = 1.5e9; }),
                       "highest clocks differ: 1 980 MHz before, 1 500 MHz now"));
  EXPECT_TRUE(contains(refusal_with([](auto& gpu) { gpu.memory_clock_hz = 1e9; }),
                       "memory clocks differ: 2 600 MHz before, 1 000 MHz now"));
  EXPECT_EQ(refusal_with([](auto& gpu) { gpu.memory_clock_hz = 0; }), "it was compared") << "nobody knows it";
}

TEST(Comparison, RefusesDifferentGpusOnOneSide) {
  BenchResult other = cold_in({100});
  other.device.name = "Other GPU";
  EXPECT_TRUE(contains(refusal({cold_in({100}), other}, {cold_in({100})}),
                       "Some GPU, Other GPU before, Some GPU now"));
}

TEST(Comparison, RefusesTheSimulatorBesideAGpu) {
  EXPECT_TRUE(contains(refusal({cold_in({100})}, {on_simulator({{"global_load_sectors", 1}})}),
                       "a GPU before, the simulator now"));
}

TEST(Comparison, TakesTheSimulatorOfAnyMachine) {
  BenchResult other = on_simulator({{"global_load_sectors", 1}});
  other.device.name = "simulated on the CPU, Other CPU";
  other.device.multiprocessors = 64;
  other.facts.hostname = "other";
  EXPECT_TRUE(compared({on_simulator({{"global_load_sectors", 1}})}, {other}).remarks.empty());
}

TEST(Comparison, RemarksOnOtherCompilersOfTheSimulatorAndFailsByStrictRules) {
  BenchResult before = on_simulator({{"global_load_sectors", 1}}), now = before;
  before.device.compiler_version = "g++ 12.2.0";
  EXPECT_TRUE(compared({before}, {now}).remarks.empty()) << "an earlier document does not say";
  now.device.compiler_version = "g++ 12.2.0";
  EXPECT_EQ(exit_code_of(compared({before}, {now}, {.is_strict = true})), ExitCode::ok);
  now.device.compiler_version = "clang++ 14.0.6";
  const Comparison comparison = compared({before}, {now});
  ASSERT_EQ(comparison.remarks.size(), 1u);
  EXPECT_EQ(comparison.remarks[0],
            "the compilers of the kernels differ: g++ 12.2.0 before, clang++ 14.0.6 now; they may count "
            "differently, so measure both with one");
  EXPECT_EQ(exit_code_of(comparison), ExitCode::ok);
  EXPECT_EQ(exit_code_of(compared({before}, {now}, {.is_strict = true})), ExitCode::regression);
}

// Returns the exit code of a comparison in which the wavefronts of two variants grow.
ExitCode code_with(const std::vector<std::string>& may_grow) {
  BenchResult before = on_simulator({{"shared_load_wavefronts", 1}});
  before.rows[0].what.lesson = "shared-histogram";  // also called histogram
  before.rows.push_back(before.rows[0]);
  before.rows[1].what.variant = "wide";
  BenchResult now = before;
  for (BenchRow& row : now.rows) row.counts["shared_load_wavefronts"] = 2;
  return exit_code_of(compared({before}, {now}, {.may_grow = may_grow}));
}

TEST(Comparison, AllowsAFigureToGrowInOneVariantAlone) {
  EXPECT_EQ(code_with({"shared_load_wavefronts"}), ExitCode::ok);
  EXPECT_EQ(code_with({"histogram/shared:shared_load_wavefronts"}), ExitCode::regression);
  EXPECT_EQ(code_with({"histogram:shared_load_wavefronts"}), ExitCode::ok) << "every variant of the lesson";
  EXPECT_EQ(
      code_with({"histogram/shared:shared_load_wavefronts", "shared-histogram/wide:shared_load_wavefronts"}),
      ExitCode::ok);
}

TEST(Comparison, AllowsAllFiguresOfAVariantToGrow) {
  EXPECT_EQ(code_with({"histogram/shared"}), ExitCode::regression) << "the other variant";
  EXPECT_EQ(code_with({"histogram/shared", "shared-histogram/wide"}), ExitCode::ok);
}

TEST(Comparison, AdvisesToAllowAVariantOfWhichThreeFiguresRegressed) {
  const auto advice_for = [](std::map<std::string, std::uint64_t> counts) {
    const BenchResult before = on_simulator(counts);
    for (auto& [name, count] : counts) count *= 2;
    return compared({before}, {on_simulator(counts)}).remarks.back();
  };
  EXPECT_TRUE(advice_for({{"global_load_bytes", 4}, {"global_load_sectors", 1}, {"global_store_sectors", 1}})
                  .ends_with("add --allow histogram/shared"));
  EXPECT_TRUE(advice_for({{"global_load_bytes", 4}, {"global_load_sectors", 1}})
                  .ends_with("add --allow global_load_bytes --allow global_load_sectors"));
}

TEST(Comparison, RefusesToAllowWhatIsNotThereAndNamesTheNearest) {
  const std::pair<const char*, const char*> refusals[] = {
      {"shared_load_wavefront", "no figure here has this name; did you mean 'shared_load_wavefronts'?"},
      {"histogram/shared:shared_load_wavefront", "did you mean 'shared_load_wavefronts'?"},
      {"histogram:shared/load_wavefronts",
       "is not written like FIGURE, LESSON:FIGURE, LESSON/VARIANT or LESSON/VARIANT:FIGURE"},
      {"histogram/", "has an empty part"},
      {"histogram/:shared_load_wavefronts", "has an empty part"},
      {":shared_load_wavefronts", "has an empty part"}};
  for (const auto& [allowed, message] : refusals)
    EXPECT_TRUE(
        contains(message_thrown<UsageError>([&] { code_with({allowed}); }, "it was compared"), message))
        << allowed;
}

TEST(Comparison, RemarksOnAnAllowanceForWhatWasNotMeasured) {
  const std::pair<const char*, const char*> remarks[] = {
      {"histogram/shard:global_load_sectors", "no variant here has this name; did you mean 'shared'?"},
      {"histogram/shard", "no variant here has this name; did you mean 'shared'?"},
      {"histogram/shared", "allowed nothing: no figure regressed"},
      {"matmul:global_load_sectors", "no lesson here has this name"}};
  for (const auto& [allowed, remark] : remarks) {
    BenchResult named = on_simulator({{"global_load_sectors", 1}});
    named.rows[0].what.lesson = "shared-histogram";
    const Comparison comparison = compared({named}, {named}, {.may_grow = {allowed}});
    ASSERT_EQ(comparison.remarks.size(), 1u) << allowed;
    EXPECT_TRUE(contains(comparison.remarks[0], remark)) << comparison.remarks[0];
  }
}

TEST(Comparison, RefusesSidesWithNothingInCommonAndSaysWhatDiffers) {
  const auto against = [](const BenchCase& other) {
    return refusal({on_gpu({cold_row(some_case("shared", 1024), 1), cold_row(some_case("shared", 4096), 1)})},
                   {cold_in({1}, other)});
  };
  const std::string head = "nothing was measured both before and now: ";
  EXPECT_EQ(against(some_case("shared", 2048)), head + "the sizes differ: 1024, 4096 before, 2048 now");
  EXPECT_EQ(against(some_case("global")), head + "the variants differ: shared before, global now");
  EXPECT_EQ(against({.lesson = "matmul", .variant = "shared", .size = 1024}),
            head + "the lessons differ: histogram before, matmul now");
  BenchCase other = some_case();
  other.options["distribution"] = std::string("sorted");
  EXPECT_EQ(against(other),
            head + "the options differ: distribution=uniform before, distribution=sorted now");
  other = some_case();
  other.seed = 7;
  EXPECT_EQ(against(other), head + "the seeds differ: 42 before, 7 now");
  other = some_case();
  other.block_size = 64;
  EXPECT_EQ(against(other), head + "the block sizes differ: the variant's own before, 64 now");
}

TEST(Comparison, RefusesWhatHasNoFigures) {
  const BenchResult nothing = on_gpu({right_row(some_case())});
  EXPECT_EQ(refusal({nothing}, {cold_in({100})}),
            "nothing was timed or counted before, so there is nothing to compare");
  EXPECT_EQ(refusal({cold_in({100})}, {on_gpu({})}),
            "nothing was timed or counted now, so there is nothing to compare");
}

TEST(Comparison, RefusesToJudgeTheCpuAlone) {
  BenchRow reference = right_row(some_case("reference"));
  reference.kind = BenchKind::cpu;
  reference.times[BenchTime::cpu] = taking_us(100);
  EXPECT_TRUE(
      contains(refusal({on_gpu({reference})}, {on_gpu({reference})}), "no kernel was timed or counted both"));
}

TEST(Comparison, RemarksOnDriversHostsAndWhatIsIncomplete) {
  BenchResult now = cold_in({100, 100, 100});
  now.device.driver_version = "590.2";
  now.facts.hostname = "other";
  now.stopped_by = "SIGTERM";
  const Comparison comparison = compared({cold_in({100, 100, 100})}, {now});
  ASSERT_EQ(comparison.remarks.size(), 3u);
  EXPECT_EQ(comparison.remarks[0], "the drivers differ: 580.1 before, 590.2 now");
  EXPECT_EQ(comparison.remarks[1], "the computers differ: host before, other now");
  EXPECT_EQ(comparison.remarks[2], "what was measured now is incomplete: SIGTERM");
}

ExitCode code_of_kinds(const std::vector<ChangeKind>& kinds) {
  Comparison comparison;
  for (const ChangeKind kind : kinds) comparison.changes.push_back({.kind = kind});
  return exit_code_of(comparison);
}

TEST(ExitCodeOfAComparison, IsFiveWhereSomethingRegressed) {
  EXPECT_EQ(code_of_kinds({ChangeKind::same, ChangeKind::regressed}), ExitCode::regression);
}

TEST(ExitCodeOfAComparison, IsOneWhereARightResultIsWrongNow) {
  EXPECT_EQ(code_of_kinds({ChangeKind::same, ChangeKind::invalid}), ExitCode::wrong_result);
  EXPECT_EQ(code_of_kinds({ChangeKind::invalid, ChangeKind::regressed}), ExitCode::wrong_result);
}

TEST(ExitCodeOfAComparison, IsZeroForEverythingElse) {
  for (const ChangeKind kind : all_change_kinds)
    if (kind != ChangeKind::regressed && kind != ChangeKind::invalid) {
      EXPECT_EQ(code_of_kinds({kind}), ExitCode::ok) << name_of(kind);
    }
}

TEST(ChangeKinds, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (const ChangeKind kind : all_change_kinds) names.insert(name_of(kind));
  EXPECT_EQ(names.size(), std::size(all_change_kinds));
}

}  // namespace
}  // namespace gpulab::bench
