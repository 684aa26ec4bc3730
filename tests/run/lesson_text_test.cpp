#include "base/table.hpp"
#include "base/text.hpp"
#include "lesson_fixtures.hpp"
#include "run/documents.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace {

constexpr TextStyle wide{.width = 110};

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : lines_of(text)) longest = std::max(longest, display_width(line));
  return longest;
}

TEST(LessonText, ShowsTheFiguresOfAGpu) {
  EXPECT_EQ(lesson_text(fixtures::measured_lesson(), wide),
            R"(shared-histogram · 33 554 432 int32 in 256 bins, uniform, seed 42 · NVIDIA H200 (sm_90)

variant            result       kernel, cold            GB/s  of peak  1 thread  16 threads  with copies
reference          -                 23.9 ms  ± 0.4 %   5.62                 1x
reference, OpenMP  right             1.90 ms  ± 1.2 %   70.6                13x          1x
lost-updates       as expected  a race, wrong this time: bin 0 counts 1 204 of 131 072: updates were lost
global-atomic      right             8.66 ms  ± 0.1 %   15.5    0.3 %      2.8x       0.22x         2.2x
shared             right             1.27 ms  ± 0.1 %    106    2.2 %       19x        1.5x         6.4x
private-copies     right             38.4 us  ± 0.3 %  3 495     73 %      622x         49x         9.6x

cold: caches evicted before each launch; median ± half its 95 % confidence interval; references: CPU time ·
  GB/s: bytes that the problem must move, per second · peak: 4 800 GB/s, theoretical · x: how many times as
  fast as the CPU · with copies: kernel and copies together, against 1 thread

warning: shared: the samples drift: 1.21 ms at first, 1.33 ms at last
holds: shared is at least 2x as fast as global-atomic (6.8x)
copies: 134 MB in 2.44 ms at 55.0 GB/s to the device, 1.02 kB in 6.00 us at 0.171 GB/s back; end to end
  private-copies takes 2.48 ms (medians added up) against 1.90 ms of reference, OpenMP
)");
}

TEST(LessonText, SaysThatALessonWithoutInputsCopiesNothing) {
  LessonResult result = fixtures::measured_lesson();
  result.transfers->bytes_to_device = 0;
  EXPECT_TRUE(contains(lesson_text(result, wide), "copies: nothing to the device, 1.02 kB in 6.00 us"));
}

TEST(LessonText, ShowsTheTimesAsBarsWhereThereIsRoom) {
  const std::string text = lesson_text(fixtures::measured_lesson(), {.width = 120});
  EXPECT_TRUE(contains(text, "with copies  relative time\n"));
  EXPECT_TRUE(contains(text, "         2.2x  █████████████\n"));
  EXPECT_TRUE(contains(text, "         6.4x  █▉\n"));
  EXPECT_TRUE(contains(text, "         9.6x  ▏\n"));
  EXPECT_TRUE(contains(text, "lost-updates       as expected  a race, wrong this time: "));
  EXPECT_LE(longest_line(text), 120u);
}

TEST(LessonText, ShowsNoBarsWhereTheyWouldSayNothing) {
  LessonResult result = fixtures::measured_lesson();
  EXPECT_FALSE(contains(lesson_text(result, {.width = 119}), "relative time"));
  EXPECT_FALSE(contains(lesson_text(fixtures::simulated_lesson(), {.width = 200}), "relative time"));
  result.variants = {result.variants[1]};
  EXPECT_FALSE(contains(lesson_text(result, {.width = 200}), "relative time")) << "there is one time";
}

TEST(LessonText, ShowsCountsAndCpuTimeOfTheSimulator) {
  EXPECT_EQ(lesson_text(fixtures::simulated_lesson(), wide),
            R"(shared-histogram · 33 554 432 int32 in 256 bins, uniform, seed 42 · simulated on the CPU

variant            result       grid x block     threads  CPU time
reference          -                                       23.9 ms
reference, OpenMP  right                                   1.90 ms
lost-updates       as expected  run with 4 096 of 33 554 432 elements, a race, wrong this time: bin 3 counts 9
                                of 16: updates were lost
shared             right        131072 x 256  33 554 432    412 ms

CPU time: of the reference or of the simulation; it does not show what is fast on a GPU

note: shared: atomicAdd at shared_histogram.cu:21 meets 8 threads on one address
needs a GPU: shared is at least 2x as fast as global-atomic
)");
}

TEST(LessonText, ShowsEstimatesWithTheTimesOfTheSimulationIfAsked) {
  LessonResult result = fixtures::simulated_lesson();
  result.variants[1].size = result.size;
  result.variants[1].estimate = Estimate{
      .gpu = "H200", .seconds = 31e-6, .low_s = 28e-6, .high_s = 36e-6, .bounds = {{Limiter::launch, 31e-6}}};
  const auto text_with = [&](SimulatedTimes times) {
    return lesson_text(result, {.width = 160}, nullptr, times);
  };
  EXPECT_TRUE(
      contains(text_with(SimulatedTimes::estimated), "33 554 432                28 to 36 us  launch\n"));
  EXPECT_TRUE(contains(text_with(SimulatedTimes::both), "33 554 432    412 ms      28 to 36 us  launch\n"));
}

TEST(LessonText, ClaimsNothingAboutAGpuThatWasSimulated) {
  const std::string text = lesson_text(fixtures::simulated_lesson(), wide);
  for (const char* word : {"GB/s", "of peak", "1 thread", "cold", "copies"})
    EXPECT_FALSE(contains(text, word)) << word;
}

TEST(LessonText, SaysFromWhichSizeOnAClaimIsMade) {
  LessonResult result = fixtures::measured_lesson();
  result.claims.at(0) = {from_size(std::size_t{1} << 26, result.claims.at(0).claim),
                         ClaimVerdict::not_measured, std::nullopt};
  EXPECT_TRUE(contains(lesson_text(result, wide),
                       "not measured: shared is at least 2x as fast as global-atomic (claimed from size "
                       "67 108 864 on)\n"));
  result.claims[0].verdict = ClaimVerdict::needs_gpu;
  EXPECT_TRUE(contains(lesson_text(result, wide), "global-atomic (claimed from size 67 108 864 on)\n"));
  result.claims[0].claim.from = result.size;
  EXPECT_TRUE(contains(lesson_text(result, wide), "as fast as global-atomic\n"))
      << "the size is not the reason, but a wrong variant";
}

TEST(LessonText, SaysInCapitalsWhatTheLessonDidNotState) {
  const std::string text = lesson_text(fixtures::failing_lesson(), wide);
  EXPECT_TRUE(contains(text, "RIGHT             expected wrong, observed right\n"));
  EXPECT_TRUE(contains(text, "WRONG             33 553 408 of 33 554 432 elements differ; unwritten"));
  EXPECT_TRUE(contains(text, "FAILS TO COMPILE  shared_histogram.cu does not compile\n"));
  EXPECT_TRUE(contains(text, "differs: shared: [1024] expected 2.5, got NaN\n"));
}

TEST(LessonText, ShowsTheCompilersLogLineByLine) {
  EXPECT_TRUE(contains(lesson_text(fixtures::failing_lesson(), wide),
                       "compiler: private-copies:\n  shared_histogram.cu(7): error: expected a \";\"\n\n"
                       "  1 error detected\n"));
}

TEST(LessonText, GivesNoFiguresForARaceThatCameOutRight) {
  LessonResult result = fixtures::measured_lesson();
  result.variants[0].observed = Outcome::right;
  result.variants[0].explanation = "";
  result.variants[0].wrong_elements = 0;
  result.variants[0].kernel_cold = fixtures::timing(1e-3, 0.01);
  EXPECT_TRUE(
      contains(lesson_text(result, wide), "lost-updates       as expected  a race, right this time\n"));
}

TEST(LessonText, CountsWrongElementsWhereNothingExplainsThem) {
  LessonResult result = fixtures::failing_lesson();
  result.variants[2].explanation = "";
  result.variants[2].wrong_elements = 33'553'408;
  EXPECT_TRUE(contains(lesson_text(result, wide), "33 553 408 elements differ from the reference\n"));
}

TEST(LessonText, ShowsAWrongReference) {
  LessonResult result = fixtures::measured_lesson();
  result.references[1].observed = Outcome::wrong;
  result.references[1].explanation = "3 of 256 elements differ";
  EXPECT_TRUE(
      contains(lesson_text(result, wide), "reference, OpenMP  WRONG        3 of 256 elements differ\n"));
}

TEST(LessonText, HasNoFiguresWhereNothingWasTimed) {
  LessonResult result = fixtures::measured_lesson();
  result.transfers.reset();
  result.device.peak_bytes_per_s = 0;
  for (ReferenceResult& reference : result.references) reference.timing = {};
  for (VariantResult& variant : result.variants) variant.kernel_cold.reset();
  const std::string text = lesson_text(result, wide);
  EXPECT_TRUE(contains(text, "n/a"));
  for (const char* word : {"nan", "inf", "0x", "\ncopies:", "4 800"})
    EXPECT_FALSE(contains(text, word)) << word;
}

TEST(LessonText, NeverWritesALineLongerThanTheTerminal) {
  for (const LessonResult& result :
       {fixtures::measured_lesson(), fixtures::simulated_lesson(), fixtures::failing_lesson()})
    for (unsigned width = 40; width <= 140; ++width) {
      const std::string text = lesson_text(result, {.width = width});
      EXPECT_LE(longest_line(text), width) << text;
      for (const VariantResult& variant : result.variants) EXPECT_TRUE(contains(text, "\n" + variant.name));
    }
}

TEST(LessonText, LeavesOutTheLeastImportantColumnsFirst) {
  const std::string narrow = lesson_text(fixtures::measured_lesson(), {.width = 70});
  EXPECT_TRUE(contains(narrow, "kernel, cold"));
  EXPECT_TRUE(contains(narrow, "GB/s"));
  EXPECT_FALSE(contains(narrow, "with copies"));
  EXPECT_FALSE(contains(narrow, "of peak"));
}

TEST(LessonText, TellsTheReferencesApartOnAMachineWithOneCore) {
  LessonResult result = fixtures::measured_lesson();
  result.references[1].threads = 1;
  EXPECT_TRUE(contains(lesson_text(result, wide), "of peak  1 thread  OpenMP  with copies\n"));
}

TEST(LessonText, ShowsAGridOfMoreThanOneDimension) {
  LessonResult result = fixtures::simulated_lesson();
  result.variants[1].launch = LaunchConfig{.grid = {64, 32}, .block = {8, 8, 4}};
  EXPECT_TRUE(contains(lesson_text(result, wide), "  (64, 32) x (8, 8, 4)  "));
}

TEST(LessonText, WritesEscapesOnlyInColour) {
  for (const LessonResult& result :
       {fixtures::measured_lesson(), fixtures::simulated_lesson(), fixtures::failing_lesson()}) {
    EXPECT_FALSE(contains(lesson_text(result, {.colour = false}), "\x1b"));
    EXPECT_TRUE(contains(lesson_text(result, {.colour = true}), "\x1b["));
  }
}

TEST(LessonText, PaintsWhatWasNotStatedRed) {
  const std::string text = lesson_text(fixtures::failing_lesson(), {.colour = true, .width = 110});
  EXPECT_TRUE(contains(text, "\x1b[1;31mRIGHT\x1b[0m"));
  EXPECT_TRUE(contains(text, "\x1b[1;31mWRONG\x1b[0m"));
}

TEST(LessonText, MakesARemarkOnSeveralVariantsOnce) {
  LessonResult result = fixtures::measured_lesson();
  for (VariantResult& variant : result.variants) variant.warnings = {"the clocks changed"};
  const std::string text = lesson_text(result, wide);
  const std::size_t first = text.find("the clocks changed");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("the clocks changed", first + 1), std::string::npos);
  EXPECT_TRUE(contains(text, "global-atomic, shared, private-copies: the clocks changed"));
}

// Returns a result with a right variant of this median time on a GPU, after one that races on purpose.
LessonResult timed(double median_s, double relative_half_width) {
  LessonResult result = fixtures::lesson();
  VariantResult variant = fixtures::right_variant("shared", "histogram_shared", 4);
  variant.kernel_cold = fixtures::timing(median_s, relative_half_width);
  result.variants = {fixtures::race(fixtures::size, "256 of 256 bins lost updates"), variant};
  return result;
}

std::string changes(const LessonResult& before, const LessonResult& now) {
  return lesson_text(now, {.width = 100}, &before);
}

TEST(LessonChanges, ShowATimeWhoseIntervalDoesNotOverlapTheEarlierOne) {
  const std::string text = changes(timed(2e-3, 0.01), timed(1e-3, 0.01));
  EXPECT_TRUE(contains(text, "\n~ shared  "));
  EXPECT_TRUE(contains(text, "2.00 ms -> 1.00 ms"));
}

TEST(LessonChanges, TakeNoNoticeOfNoise) {
  const std::string text = changes(timed(1.00e-3, 0.01), timed(1.01e-3, 0.01));
  EXPECT_TRUE(contains(text, "\n  shared  "));
  EXPECT_FALSE(contains(text, "->")) << text;
}

TEST(LessonChanges, ShowTheOldResultBesideTheNewOne) {
  LessonResult broken = timed(1e-3, 0.01);
  broken.variants[1].observed = Outcome::defect;
  broken.variants[1].kernel_cold.reset();
  broken.variants[1].explanation = "a race in line 33";
  const std::string text = changes(timed(1e-3, 0.01), broken);
  EXPECT_TRUE(contains(text, "~ shared             right -> DEFECT  a race in line 33"));
  EXPECT_TRUE(contains(changes(broken, timed(1e-3, 0.01)), "DEFECT -> right")) << text;
  broken.variants[1].failure = Failure{.kind = DefectKind::other, .line = 34};
  LessonResult elsewhere = broken;
  elsewhere.variants[1].failure->line = 35;
  EXPECT_TRUE(contains(changes(broken, elsewhere), "\n~ shared  ")) << "the same, in another line";
}

TEST(LessonChanges, ShortenWhatIsAsExpectedAgain) {
  LessonResult again = timed(1e-3, 0.01);
  again.variants[0].explanation = "255 of 256 bins lost updates";
  const std::string text = changes(timed(1e-3, 0.01), again);
  EXPECT_TRUE(contains(text, "\n  lost-updates  ")) << "a race loses another number of updates each time";
  EXPECT_FALSE(contains(text, "bins lost")) << text;
}

TEST(LessonChanges, ShowCountsThatHaveChanged) {
  LessonResult before = timed(1e-3, 0.01), now = before;
  before.variants[1].findings.figures = {{"sectors", 8192}, {"to device", 12.5, "GB/s"}};
  now.variants[1].findings.figures = {{"sectors", 4096}, {"to device", 12.6, "GB/s"}};
  const std::string text = changes(before, now);
  EXPECT_TRUE(contains(text, "8 192 -> 4 096"));
  EXPECT_FALSE(contains(text, "12.5")) << "what is measured differs each time";
}

TEST(LessonChanges, AreNotMarkedWithoutAnEarlierResult) {
  EXPECT_EQ(lesson_text(timed(1e-3, 0.01), {}, nullptr), lesson_text(timed(1e-3, 0.01), {}));
  EXPECT_TRUE(contains(lesson_text(timed(1e-3, 0.01), {}), "\nshared  "));
}

LessonResult with_timeline(const Timeline& timeline) {
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {{.name = "chunked", .timeline = timeline}};
  return result;
}

const Timeline copy_and_kernel{
    {.stream = 1, .kind = Span::Kind::to_device, .what = "A", .start_s = 0, .end_s = 0.5, .bytes = 100},
    {.stream = 2, .kind = Span::Kind::kernel, .what = "add", .start_s = 0.5, .end_s = 1}};

TEST(TimelineText, DrawsEachStreamOnALineThatFitsTheTerminal) {
  const std::string text = timelines_text(with_timeline(copy_and_kernel), {.width = 52});
  EXPECT_TRUE(
      text.starts_with("chunked: 1.00 s\n"
                       "  stream 1  ▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼····················\n"
                       "  stream 2  ····················████████████████████\n"))
      << text;
  EXPECT_LE(longest_line(text), 52u) << text;
}

TEST(TimelineText, NamesEachPieceWithItsTimes) {
  const std::string text = timelines_text(with_timeline(copy_and_kernel), {.width = 200});
  EXPECT_NE(text.find("A in stream 1 from 0 ns to 500 ms; add in stream 2 from 500 ms to 1.00 s"),
            std::string::npos)
      << text;
}

TEST(TimelineText, GivesEvenTheShortestPieceAColumn) {
  Timeline timeline = copy_and_kernel;
  timeline.push_back({.stream = 1, .kind = Span::Kind::to_host, .what = "C", .start_s = 1, .end_s = 1});
  EXPECT_NE(timelines_text(with_timeline(timeline), {.width = 52}).find("▲\n"), std::string::npos);
}

TEST(TimelineText, SaysOnTheSimulatorThatTheTimeIsTheCpus) {
  LessonResult result = with_timeline(copy_and_kernel);
  result.device.kind = "simulator";
  EXPECT_NE(timelines_text(result, {.width = 200}).find("CPU time"), std::string::npos);
}

TEST(TimelineText, IsEmptyWithoutTimelines) {
  EXPECT_EQ(timelines_text(with_timeline({}), {}), "");
}

}  // namespace
}  // namespace gpulab::run
