#include "base/table.hpp"
#include "check/check_formats.hpp"
#include "check/checks.hpp"
#include "check_fixtures.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

constexpr TextStyle plain{.width = 80};

TEST(CheckText, SaysWhatIsWrongWhereAndWhatToDoNext) {
  EXPECT_EQ(check_text(fixtures::wrong_check(), plain),
            R"(WRONG  shared-histogram · shared_histogram.cu · race-shared
12 of 256 bins differ: consistent with a missing barrier

shared_histogram.cu:17:   counts[input[item]] += 1;
  thread 3 writes counts[7] and thread 5 of the same block reads it
  [0] expected 4 102 (input[0] = 12), got 3 176
  [7] expected 4 099, got NaN
  shown at 1 000 work items in blocks of 256 threads, with --distribution
    one-bin, on the simulator, its threads interrupted in between

hint: Where must all threads wait for each other?
note: several threads store the same value
again: gpulab check shared_histogram.cu --device simulator --size 1000 \
    --distribution one-bin --block-size 256 --seed 42

help    gpulab hint shared-histogram
explain gpulab explain race-shared
then    gpulab check shared_histogram.cu
)");
}

TEST(CheckText, LeavesOutThreadsValuesAndTheRepeatCommandIfBrief) {
  CheckResult result = fixtures::wrong_check();
  result.source = "for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[input[item]] += 1;";
  result.related.insert(result.related.begin(), {.line = 21, .source = "output[bin] = counts[bin];"});
  EXPECT_EQ(check_text(result, plain, Detail::brief),
            R"(WRONG  shared-histogram · shared_histogram.cu · race-shared
12 of 256 bins differ: consistent with a missing barrier

shared_histogram.cu:17: for (int bin = threadIdx.x; bin < 256; bin +=
    blockDim.x) counts[input[item]] += 1;
shared_histogram.cu:21: output[bin] = counts[bin];
  shown at 1 000 work items in blocks of 256 threads, with --distribution
    one-bin

hint: Where must all threads wait for each other?
note: several threads store the same value

help    gpulab hint shared-histogram
explain gpulab explain race-shared
more    gpulab check shared_histogram.cu --verbose
)");
}

TEST(CheckText, SaysWhereElseItIsRightAndWhichInputsShowIt) {
  CheckResult result = fixtures::wrong_check();
  result.where = "of 9 settings tried, right up to size 256, wrong from 257 on";
  result.tried_with->edge_inputs = true;
  const std::string text = check_text(result, {.width = 100});
  EXPECT_NE(text.find("\n  of 9 settings tried, right up to size 256, wrong from 257 on\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("with edge inputs"), std::string::npos) << text;
  EXPECT_NE(reproduce_command(result).find(" --inputs edge --block-size 256"), std::string::npos);
}

TEST(CheckText, ShowsTheWordThatTheCaretPointsAt) {
  const std::string code = "    3 | " + std::string(90, 'x') + " oops;\n";
  const std::string lines =
      compiler_lines("a.cu:3:92: error: no\n" + code + "      | " + std::string(91, ' ') + "^~~~\n",
                     {.colour = false, .width = 80}, Detail::brief);
  const std::vector<std::string> rows = lines_of(lines);
  ASSERT_EQ(rows.size(), 3u) << lines;
  EXPECT_TRUE(rows[1].starts_with("    3 | ...xxx")) << lines;
  EXPECT_EQ(rows[1].find("oops"), rows[2].find('^')) << lines;
}

TEST(CheckText, DistinguishesAnUnwrittenElementFromNaN) {
  CheckResult result = fixtures::wrong_check();
  result.first_differences[1].is_poison = true;
  EXPECT_TRUE(contains(check_text(result, plain), "\n  [7] expected 4 099, not written\n"));
}

TEST(CheckText, NamesTheNextCommandsAfterASuccess) {
  EXPECT_EQ(check_text(fixtures::right_check(), plain),
            "PASSED  shared-histogram · shared_histogram.cu\n\n"
            "compare gpulab diff shared-histogram\n"
            "next    gpulab next\n");
  const std::string coloured = check_text(fixtures::right_check(), {.colour = true, .width = 80});
  EXPECT_TRUE(coloured.starts_with("\x1b[32mPASSED\x1b[0m  ")) << coloured;
}

TEST(CheckText, IsOneLineForAFileThatPassedAmongOthers) {
  EXPECT_EQ(check_line(fixtures::right_check(), plain), "PASSED  shared-histogram · shared_histogram.cu\n");
  CheckResult noted = fixtures::right_check();
  noted.notes = {"no thread accesses shared memory"};
  EXPECT_EQ(check_line(noted, plain),
            "PASSED  shared-histogram · shared_histogram.cu\nnote: no thread accesses shared memory\n");
}

TEST(CheckText, BeginsWithTheVerdict) {
  CheckResult result = fixtures::wrong_check();
  result.verdict = Verdict::defect;
  EXPECT_TRUE(check_text(result, plain).starts_with("DEFECT  shared-histogram · "));
  EXPECT_TRUE(contains(check_text(result, plain), "a kernel with a defect does not pass"));
  EXPECT_TRUE(
      check_text(fixtures::refused_check(), plain).starts_with("DOES NOT COMPILE  shared-histogram · "));
  CheckResult renamed = fixtures::refused_check();
  renamed.pattern = "missing-kernel";
  EXPECT_TRUE(check_text(renamed, plain).starts_with("NO SUCH KERNEL  shared-histogram · "));
  EXPECT_TRUE(check_text(result, {.colour = true, .width = 80}).starts_with("\x1b[1;31mDEFECT\x1b[0m  "));
}

TEST(CheckText, ShowsTheCompilersMessageInTheWidthOfTheTerminal) {
  CheckResult result = fixtures::refused_check();
  result.compiler_log += "\n    7 |   if (item < size { counts[input[item]] += 1; }\n      |    ^\n";
  EXPECT_TRUE(contains(check_text(result, plain), "\n\n" + result.compiler_log + "\n"));
  result.compiler_log = "a.cu: In function ‘void f()’:\na.cu:7:20: error: " + std::string(50, 'a') + " " +
                        std::string(50, 'b') + "\n    7 | " + std::string(99, 'x') +
                        "\na.cu:8:20: error: another\n";
  const std::string text = check_text(result, plain), brief = check_text(result, plain, Detail::brief);
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_FALSE(contains(text, "In function")) << "that line has no error";
  EXPECT_TRUE(contains(text, std::string(50, 'b')) && contains(text, "another"));
  EXPECT_TRUE(contains(brief, std::string(50, 'b')) && !contains(brief, "another"));
}

TEST(CheckText, QuotesFileNamesForAShell) {
  CheckResult result = fixtures::wrong_check();
  result.file = "it's mine/shared_histogram.2.cu";
  EXPECT_TRUE(
      check_text(result, plain).ends_with("then    gpulab check 'it'\\''s mine/shared_histogram.2.cu'\n"));
  result.file = "mistakes/no_barrier.cu";
  EXPECT_TRUE(check_text(result, plain)
                  .ends_with("then    gpulab check mistakes/no_barrier.cu --exercise shared-histogram\n"));
}

TEST(CheckText, ComparesKernelsOnAGpu) {
  EXPECT_TRUE(contains(check_text(fixtures::check_on_gpu(), plain),
                       R"(
on the GPU    result       kernel, cold           against yours
your kernel   right             2.54 ms  ± 0.2 %           1.0x
shared        right             1.27 ms  ± 0.1 %           2.0x
lost-updates  as expected  a race, wrong this time: updates were lost
)"));
}

TEST(CheckText, HasNoLineThatIsLongerThanTheTerminal) {
  CheckResult result = fixtures::wrong_check();
  result.source = std::string(200, 'x');
  for (const CheckResult& each : {result, fixtures::check_on_gpu(), fixtures::right_check()})
    for (unsigned width = 52; width <= 120; ++width) {
      std::istringstream lines(check_text(each, {.width = width}));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
    }
}

TEST(CheckText, ShowsTheBeginningOfWhatTheKernelPrinted) {
  CheckResult result = fixtures::right_check();
  for (int line = 0; line < 30; ++line) result.printed += "thread " + std::to_string(line) + "\n";
  const std::string text = check_text(result, plain);
  EXPECT_TRUE(contains(text, "\nprinted by the kernel:\n  thread 0\n  thread 1\n"));
  EXPECT_TRUE(contains(text, "  thread 19\n  (10 more lines)\n"));
  result.printed.resize(result.printed.find("thread 21"));
  EXPECT_TRUE(contains(check_text(result, plain), "  thread 19\n  thread 20\n"));
}

TEST(CheckText, SendsNoEscapeSequenceOfAKernelToTheTerminal) {
  CheckResult result = fixtures::right_check();
  result.printed = "\033]0;title\007red\033[31m\r";
  EXPECT_TRUE(contains(check_text(result, plain), "  ?]0;title?red?[31m"));
}

TEST(CheckText, SendsNoEscapeSequenceOfALearnersFileToTheTerminal) {
  CheckResult result = fixtures::wrong_check();
  result.file = "a\033[2J.cu";
  result.line = 3;
  for (std::string* text : {&result.summary, &result.source, &result.compiler_log})
    *text = "first\033]0;title\007\nsecond\x9b";
  const std::string text = check_text(result, plain);
  EXPECT_FALSE(contains(text, "\033") || contains(text, "\007") || contains(text, "\x9b")) << text;
  EXPECT_TRUE(contains(text, "· a?[2J.cu ·"));
  EXPECT_TRUE(contains(text, "first?]0;title?\nsecond?\n"));
}

TEST(CheckText, CountsTheFilesThatPassed) {
  EXPECT_EQ(checks_summary({fixtures::right_check(), fixtures::wrong_check(), fixtures::refused_check()}),
            "1 of 3 passed, the first that has not: gpulab check shared_histogram.cu\n");
  EXPECT_EQ(checks_summary({fixtures::right_check(), fixtures::right_check()}),
            "2 of 2 passed, next: gpulab next\n");
}

TEST(HintText, CountsTheHintsAndNamesTheNextCommand) {
  EXPECT_EQ(
      hint_text({.exercise = "primes", .texts = {"Look at the loop.\nTwice.\n"}, .first = 2, .left = 1}, {}),
      "primes, hint 2 of 3\n  Look at the loop. Twice.\n\n1 left: gpulab hint primes\n");
}

TEST(HintText, BeginsWithWhatFitsTheLastCheck) {
  const TakenHint hint{
      .exercise = "primes", .pattern = "shifted", .advice = "Is there a + 1?", .texts = {"b"}, .left = 2};
  EXPECT_TRUE(
      hint_text(hint, {}).starts_with("the last check showed shifted\n  Is there a + 1?\n\nprimes, hint 1"));
}

TEST(HintText, PointsToTheSolutionAfterTheLast) {
  const std::string text = hint_text({.exercise = "primes", .texts = {"a", "b"}}, {});
  EXPECT_NE(text.find("primes, hint 1 of 2\n  a\n\nprimes, hint 2 of 2\n  b\n\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("none left: gpulab solution primes --anyway\n"));
  EXPECT_TRUE(hint_text({.exercise = "primes", .texts = {"a"}}, {}, /*has_passed=*/true)
                  .ends_with("none left: gpulab solution primes\n"));
}

std::vector<ExerciseStanding> standings() {
  const auto exercise = [](const std::string& lesson, const std::string& file) {
    return Exercise{.name = lesson, .lesson = lesson, .file = file, .hints = {"a", "b", "c"}};
  };
  return {{exercise("first-kernel", "first_kernel.cu"),
           {.state = ExerciseState::passed, .hints_taken = 1, .checks = 2, .passed_on = "2026-11-21"}},
          {exercise("primes", "primes.cu"),
           {.state = ExerciseState::started, .checks = 12, .last_pattern = "shifted"}},
          {exercise("matmul", "matmul.cu"), {}}};
}

TEST(ProgressText, HasARowForEachExerciseAndSaysWhichIsNext) {
  EXPECT_EQ(progress_text(standings(), {.width = 80}),
            R"(exercise      state    on          checks   hints  last check
first-kernel  passed   2026-11-21       2  1 of 3
primes        started                  12  0 of 3  shifted
matmul        -

1 of 3 passed, next is primes: gpulab next
)");
}

TEST(ProgressText, CountsWhatPassedAfterTheSolutionWasRead) {
  auto all = standings();
  all.front().progress.read_solution = true;
  const std::string text = progress_text(all, {.width = 100});
  EXPECT_NE(text.find("passed, solution read"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 3 passed (1 after reading the solution), next is primes"), std::string::npos)
      << text;
}

TEST(ProgressText, SaysWhenAllIsDone) {
  auto all = standings();
  for (ExerciseStanding& standing : all) standing.progress.state = ExerciseState::passed;
  EXPECT_TRUE(progress_text(all, {}).ends_with("\n3 of 3 passed\n"));
}

TEST(ProgressText, LeavesOutColumnsWhereTheTerminalIsNarrow) {
  const std::string text = progress_text(standings(), {.width = 40});
  EXPECT_EQ(text.find("2026"), std::string::npos);
  EXPECT_NE(text.find("first-kernel  passed"), std::string::npos);
}

TEST(ProgressJson, HasEveryExercise) {
  const auto document = nlohmann::json::parse(progress_json(standings()));
  EXPECT_EQ(document["schema"], "gpulab.progress");
  EXPECT_EQ(document["next"], "primes");
  const auto& exercises = document["exercises"];
  ASSERT_EQ(exercises.size(), 3u);
  EXPECT_EQ(exercises[0]["state"], "passed");
  EXPECT_EQ(exercises[0]["passed_on"], "2026-11-21");
  EXPECT_EQ(exercises[1]["state"], "started");
  EXPECT_EQ(exercises[1]["checks"], 12);
  EXPECT_EQ(exercises[2]["state"], "not_started");
  EXPECT_TRUE(exercises[2]["last_pattern"].is_null());
}

CheckResult some_result() {
  CheckResult result{
      .exercise = "primes", .file = "primes.cu", .verdict = Verdict::defect, .pattern = "race-global"};
  result.details = {"one", "", "three"};
  result.first_differences = {{7, 1.5, 2.5, {{"A", 7, 0.5}}, true}};
  result.line = 12;
  result.related = {{.line = 4, .column = 7, .source = "x;", .pattern = "p", .text = "here"}};
  result.schedule = "reverse";
  result.tried_with = TriedWith{.size = 33, .seed = 7, .options = {{"mode", "same"}, {"taps", "3"}}};
  return result;
}

TEST(PackedResult, IsUnpackedUnchanged) {
  const CheckResult back = unpacked(packed(some_result()));
  EXPECT_EQ(back.exercise, "primes");
  EXPECT_EQ(back.verdict, Verdict::defect);
  EXPECT_EQ(back.details, some_result().details);
  ASSERT_EQ(back.first_differences.size(), 1u);
  EXPECT_EQ(back.first_differences[0].index, 7u);
  ASSERT_EQ(back.first_differences[0].inputs.size(), 1u);
  EXPECT_EQ(back.first_differences[0].inputs[0].array, "A");
  EXPECT_EQ(back.first_differences[0].inputs[0].value, 0.5);
  EXPECT_TRUE(back.first_differences[0].is_poison);
  EXPECT_EQ(back.line, 12);
  ASSERT_EQ(back.related.size(), 1u);
  EXPECT_EQ(back.related[0].column, 7);
  EXPECT_EQ(back.related[0].text, "here");
  EXPECT_EQ(back.schedule, "reverse");
  EXPECT_EQ(back.tried_with, some_result().tried_with);
}

TEST(PackedResult, IsRefusedWhereverItIsCutShort) {
  const std::string whole = packed(some_result());
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_THROW(unpacked(whole.substr(0, bytes)), std::runtime_error) << bytes;
}

TEST(PackedResult, KeepsTheTimesOfVariants) {
  VariantResult timed{.name = "yours", .observed = Outcome::right};
  timed.kernel_cold = Timing{.samples_s = {2e-3}, .median_s = 2e-3, .confidence_s = Interval{1e-3, 3e-3}};
  VariantResult wrong{.name = "other", .observed = Outcome::wrong};
  wrong.explanation = "all of it";
  const auto back = unpacked_variants(packed(std::vector{timed, wrong}));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_DOUBLE_EQ(back[0].kernel_cold->median_s, 2e-3);
  EXPECT_FALSE(back[1].kernel_cold);
  EXPECT_EQ(back[1].explanation, "all of it");
}

}  // namespace
}  // namespace gpulab::check
