#include "bench/compare.hpp"

#include <filesystem>
#include <fstream>

#include "base/text.hpp"
#include "bench/bench_fixtures.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace {

Change slower() {
  return {.what = some_case(),
          .figure = "cold",
          .kind = ChangeKind::regressed,
          .before = 100e-6,
          .now = 106e-6,
          .ratio = 1.06,
          .ratio_range = Interval{1.04, 1.08}};
}

Comparison some_comparison() {
  BenchCase sorted = some_case("shared");
  sorted.options["distribution"] = std::string("sorted");
  Comparison comparison{.before = {cold_in({100, 100, 100})},
                        .now = {cold_in({106, 106, 106})},
                        .processes_before = 3,
                        .processes_now = 3,
                        .remarks = {"the drivers differ: 1 before, 2 now"}};
  comparison.changes = {{.what = some_case("wrong"),
                         .kind = ChangeKind::invalid,
                         .reason = "3 of 4 bins <lost> & | \"updates\"",
                         .observed = Outcome::faults},
                        slower(),
                        {.what = sorted,
                         .figure = "energy",
                         .unit = FigureUnit::joules,
                         .kind = ChangeKind::inconclusive,
                         .before = 1,
                         .now = 1.2,
                         .ratio = 1.2,
                         .ratio_range = Interval{0.9, 1.5},
                         .reason = "between 0.900 and 1.500: measure again with more --runs"},
                        {.what = some_case("gone"), .kind = ChangeKind::missing},
                        {.what = some_case("counted"),
                         .figure = "global_load_sectors",
                         .unit = FigureUnit::count,
                         .kind = ChangeKind::improved,
                         .before = 4096,
                         .now = 1024,
                         .ratio = 0.25},
                        {.what = some_case("alike"),
                         .figure = "cold",
                         .kind = ChangeKind::same,
                         .before = 1e-4,
                         .now = 1e-4,
                         .ratio = 1},
                        {.what = some_case("reference"),
                         .figure = "cpu",
                         .kind = ChangeKind::not_judged,
                         .before = 1e-4,
                         .now = 2e-4,
                         .ratio = 2}};
  return comparison;
}

TEST(ComparisonSummary, CountsTheVerdictsAndSaysByWhichRules) {
  EXPECT_EQ(comparison_summary(some_comparison()),
            "1 invalid, 1 regressed, 1 inconclusive, 1 missing, 1 improved, 1 same, 1 not judged (threshold "
            "3 %, 3 processes before, 3 now)");
}

TEST(ComparisonSummary, NamesNoThresholdForCounts) {
  Comparison comparison = some_comparison();
  std::erase_if(comparison.changes, &Change::has_threshold);
  EXPECT_EQ(comparison_summary(comparison), "1 invalid, 1 missing, 1 improved (3 processes before, 3 now)");
}

TEST(ComparisonText, HasALineForEachChangeAndEndsWithTheSummary) {
  const std::string text = comparison_text(some_comparison(), Shown::changes, {.width = 160});
  EXPECT_TRUE(contains(text, "regressed     histogram  shared"));
  EXPECT_TRUE(contains(text, "100 us  106 us  1.060  1.040 to 1.080"));
  EXPECT_TRUE(contains(text, "distribution=sorted"));
  EXPECT_TRUE(contains(text, "4 096   1 024  0.250"));
  EXPECT_TRUE(contains(text, "between 0.900 and 1.500: measure"));
  EXPECT_FALSE(contains(text, "alike"));
  EXPECT_FALSE(contains(text, "reference"));
  EXPECT_TRUE(text.ends_with(comparison_summary(some_comparison()) + "\n"));
}

TEST(ComparisonText, NamesARangeOnlyWhereARatioHasOne) {
  Comparison comparison = some_comparison();
  EXPECT_TRUE(contains(comparison_text(comparison, Shown::changes, {.width = 160}), "and its range"));
  std::erase_if(comparison.changes, [](const Change& change) { return change.ratio_range.has_value(); });
  EXPECT_FALSE(contains(comparison_text(comparison, Shown::changes, {.width = 160}), "and its range"));
}

TEST(ComparisonText, ShowsAllThatIsTheSameWhenAsked) {
  const std::string text = comparison_text(some_comparison(), Shown::all, {.width = 160});
  EXPECT_TRUE(contains(text, "alike"));
  EXPECT_TRUE(contains(text, "not judged    histogram  reference"));
}

TEST(ComparisonText, FitsTheTerminal) {
  for (const unsigned width : {40u, 60u, 80u, 120u}) {
    const std::string text = comparison_text(some_comparison(), Shown::all, {.width = width});
    for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(ComparisonText, NamesAboveTheTableWhatAllRowsShareWhereThereIsNoRoom) {
  Comparison comparison = some_comparison();
  comparison.changes = {slower()};
  comparison.changes[0].figure = "global_atomic_lanes_at_one_address";
  EXPECT_TRUE(contains(comparison_text(comparison, Shown::changes, {.width = 80}),
                       "\nlesson histogram · variant shared · size 1 024 · figure\n"
                       "  global_atomic_lanes_at_one_address\n\n"
                       "verdict    before     now  ratio\n"
                       "regressed  100 us  106 us  1.060  1.040 to 1.080\n"));
}

TEST(ComparisonText, SaysInWordsWhatIsTooWideForATable) {
  const std::string text = comparison_text(some_comparison(), Shown::changes, {.width = 60});
  EXPECT_TRUE(contains(text, "\nlesson histogram · size 1 024\n\n"));
  EXPECT_TRUE(contains(text,
                       "regressed     1.060  shared distribution=uniform cold: 100\n"
                       "                     us -> 106 us (1.040 to 1.080)\n"));
}

TEST(ComparisonText, SaysInALineWhichCasesOfALessonAreMissing) {
  Comparison comparison = some_comparison();
  for (const std::size_t size : {1u, 2u, 3u, 4u})
    comparison.changes.push_back({.what = some_case("gone", size), .kind = ChangeKind::missing});
  EXPECT_TRUE(contains(comparison_text(comparison, Shown::changes, {.width = 100}),
                       "\nmissing: histogram gone 1 024, gone 1, gone 2 and 2 more\n"));
}

TEST(ComparisonFormats, ShowWhatFailsByStrictRules) {
  Comparison comparison = some_comparison();
  comparison.rules.is_strict = true;
  EXPECT_TRUE(contains(comparison_summary(comparison), "(threshold 3 %, strict, 3 processes before, 3 now)"));
  EXPECT_TRUE(contains(comparison_github(comparison), "::error title=gpulab%3A histogram missing::"));
  const std::string junit = comparison_junit(comparison);
  EXPECT_TRUE(contains(junit, "failures=\"4\" errors=\"0\" skipped=\"0\""));
  EXPECT_TRUE(contains(junit, "<failure type=\"missing\""));
  EXPECT_EQ(nlohmann::json::parse(comparison_json(comparison, {}))["rules"]["strict"], true);
}

TEST(ComparisonMarkdown, IsATableWhoseCellsStayWhole) {
  const std::string text = comparison_markdown(some_comparison(), Shown::changes);
  EXPECT_TRUE(contains(text,
                       "| **regressed** | histogram | shared | 1 024 | distribution=uniform | cold | 100 us "
                       "| 106 us | 1.060 |"));
  EXPECT_TRUE(contains(text, "3 of 4 bins &lt;lost> &amp; \\| \"updates\""));
  for (std::size_t at = text.find("\n| **"); at != text.npos; at = text.find("\n| **", at + 1)) {
    std::size_t bars = 0;
    for (std::size_t i = at + 1; text[i] != '\n'; ++i) bars += text[i] == '|' && text[i - 1] != '\\';
    EXPECT_EQ(bars, 12u) << "11 columns";
  }
}

TEST(ComparisonGithub, IsACommandInALineForWhatNeedsAttention) {
  Comparison comparison = some_comparison();
  comparison.changes[0].reason = "first line\nsecond, 100%";
  comparison.changes[0].what.variant = "a,b:c";
  comparison.now.front().plan.kernels = "elsewhere";
  const std::string text = comparison_github(comparison);
  EXPECT_TRUE(
      text.starts_with("::error title=gpulab%3A histogram a%2Cb%3Ac invalid::histogram a,b:c size=1024 "
                       "distribution=uniform seed=42: first line%0Asecond, 100%25\n"))
      << text;
  EXPECT_TRUE(
      contains(text,
               "\n::error file=elsewhere/shared_histogram.cu,line=1,col=1,title=gpulab%3A histogram shared "
               "regressed::histogram shared size=1024 "
               "distribution=uniform seed=42, cold: 100 us -> 106 us (1.060, 1.040 to 1.080)\n"));
  EXPECT_TRUE(contains(text, "\n::warning title=gpulab%3A histogram missing::histogram gone 1 024\n"));
  EXPECT_FALSE(contains(text, "alike"));
  EXPECT_TRUE(contains(text, "\n::notice title=gpulab report::1 invalid, 1 regressed"));
}

TEST(ComparisonGithub, SaysInTheTenthAnnotationHowManyMoreThereAre) {
  Comparison comparison = some_comparison();
  comparison.changes.clear();
  for (int i = 0; i < 12; ++i) {
    comparison.changes.push_back(slower());
    comparison.changes.back().what.variant = "v" + std::to_string(i);
  }
  const std::vector<std::string> lines = lines_of(comparison_github(comparison));
  EXPECT_TRUE(contains(lines.at(8), " v8 regressed::")) << lines.at(8);
  EXPECT_TRUE(lines.at(9).starts_with("::error title=gpulab%3A 3 more in the log::12 regressed"))
      << lines.at(9);
  EXPECT_TRUE(contains(lines.at(12), " v11 regressed::"));
}

TEST(ComparisonGithub, NamesTheLineInWhichTheKernelBegins) {
  Comparison comparison = some_comparison();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kernels_of_comparison";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "shared_histogram.cu")
      << "__global__ void other(int* a) {}\n\n// One copy for each block.\ntemplate <int n = 1>\n__global__ void "
         "histogram_shared(int* a) {}\n";
  comparison.now.front().plan.kernels = folder.string();
  EXPECT_TRUE(contains(comparison_github(comparison), "/shared_histogram.cu,line=5,col=1,"));
  std::filesystem::remove_all(folder);
}

TEST(ComparisonGithub, NamesTheLineThatIsWrongOnceForAllThatItBreaks) {
  Comparison comparison = some_comparison();
  comparison.now.front().plan.kernels = source_file("kernels").string();
  const auto broken = [&](const std::string& variant, int line) {
    BenchRow row{.what = {.lesson = "shared-histogram", .variant = variant, .size = 64}, .line = line};
    comparison.changes.insert(comparison.changes.begin(), {.what = row.what, .kind = ChangeKind::invalid});
    comparison.now.front().rows.push_back(row);
  };
  for (int i = 0; i < 4; ++i) broken("shared", 31);
  broken("global-atomic", 31);
  broken("shared", 31);
  const std::string text = comparison_github(comparison);
  const std::string place = "/shared_histogram.cu,line=31,col=1,";
  const std::size_t first = text.find(place);
  ASSERT_NE(first, text.npos) << text;
  EXPECT_EQ(text.find(",line=31,", first + place.size()), text.npos) << text;
  for (const char* variant : {"global-atomic", "shared"})
    EXPECT_TRUE(contains(text.substr(0, text.find('\n', first)),
                         std::string("shared-histogram ") + variant + " size=64"))
        << text;
  EXPECT_TRUE(contains(text, "%0Aand 2 more\n")) << text;
}

TEST(ComparisonFormats, SayOnceWhatFailsInOneLine) {
  Comparison comparison = some_comparison();
  comparison.changes.clear();
  comparison.now.front().plan.kernels = source_file("kernels").string();
  const auto failed = [&](std::size_t size, int line, Outcome observed, ExitCode code,
                          const std::string& why) {
    BenchRow row{.what = {.lesson = "shared-histogram", .variant = "shared", .size = size}, .line = line};
    comparison.now.front().rows.push_back(row);
    comparison.changes.push_back(
        {.what = row.what, .kind = ChangeKind::invalid, .reason = why, .observed = observed, .code = code});
  };
  failed(64, 31, Outcome::defect, ExitCode::wrong_result, "a race of element 63");
  failed(128, 31, Outcome::defect, ExitCode::wrong_result, "a race of element 127");
  failed(256, 33, Outcome::defect, ExitCode::wrong_result, "another race");
  failed(65, 0, Outcome::wrong, ExitCode::wrong_result, "3 of 4 bins");
  failed(129, 0, Outcome::wrong, ExitCode::wrong_result, "3 of 4 bins, too");
  for (const std::size_t size : {512u, 1024u})
    failed(size, 7, Outcome::fails_to_compile, ExitCode::compilation, "line 7: expected ';'");
  for (const std::string& text :
       {comparison_text(comparison, Shown::changes, {.width = 160}),
        comparison_markdown(comparison, Shown::changes), comparison_github(comparison)}) {
    EXPECT_TRUE(contains(text, "a race of element 63 (and 1 more like it)")) << text;
    EXPECT_FALSE(contains(text, "a race of element 127")) << text;
    EXPECT_TRUE(contains(text, "another race")) << text;
    EXPECT_TRUE(contains(text, "3 of 4 bins, too")) << text;
    const std::string error = "line 7: expected ';' (and 1 more like it)";
    EXPECT_EQ(text.find("expected ';'", text.find(error) + error.size()), text.npos) << text;
  }
}

TEST(ComparisonMarkdown, SaysHowManyFiguresAreNotJudgedAndWhy) {
  EXPECT_TRUE(contains(comparison_markdown(some_comparison(), Shown::changes),
                       "\n- not judged: 1 figure is for information only. Times of the CPU, of copies "));
}

TEST(ComparisonJunit, CountsWhatFailedAndWhatWasSkipped) {
  const std::string text = comparison_junit(some_comparison());
  EXPECT_TRUE(contains(
      text, "<testsuite name=\"gpulab report\" tests=\"6\" failures=\"2\" errors=\"0\" skipped=\"2\">"));
  EXPECT_TRUE(contains(
      text,
      "<testcase classname=\"gpulab.histogram\" name=\"shared size=1024 distribution=uniform seed=42 cold\" "
      "time=\"0.000106000\">\n      <failure type=\"regression\" message=\"regressed: "));
  EXPECT_TRUE(contains(text, "<failure type=\"faults\" message=\"invalid: "));
  EXPECT_FALSE(contains(text, "reference")) << "figures that are not judged are no test cases";
  EXPECT_TRUE(contains(text, "3 of 4 bins &lt;lost&gt; &amp; | &quot;updates&quot;"));
}

TEST(ComparisonPlot, IsOfTheCountThatChangedMost) {
  const BenchResult before = on_simulator({{"global_load_sectors", 8}, {"shared_load_wavefronts", 1}}),
                    now = on_simulator({{"global_load_sectors", 9}, {"shared_load_wavefronts", 31}});
  const auto counts = most_changed_counts(compared({before}, {now}));
  EXPECT_EQ(counts, (std::map<std::string, std::string>{{"histogram", "shared_load_wavefronts"}}));
}

TEST(ComparisonJson, HasEveryChangeWithItsUnit) {
  const auto document = nlohmann::json::parse(comparison_json(some_comparison(), {}));
  EXPECT_EQ(document["schema"], "gpulab.compare");
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["verdicts"]["regressed"], 1);
  EXPECT_EQ(document["verdicts"]["new"], 0);
  ASSERT_EQ(document["changes"].size(), 7u);
  const auto& change = document["changes"][1];
  EXPECT_EQ(change["verdict"], "regressed");
  EXPECT_EQ(change["unit"], "s");
  EXPECT_EQ(change["ratio_low"], 1.04);
  EXPECT_EQ(document["changes"][0]["figure"], nullptr);
  EXPECT_EQ(document["changes"][4]["unit"], "count");
  EXPECT_EQ(document["changes"][4]["ratio_low"], nullptr);
}

// bench_schema_test.py names the files and reads them as other programs would.
TEST(ComparisonFormats, AreWrittenForTheTestOfTheirSchemas) {
  const char* folder = std::getenv("GPULAB_COMPARISON_FOLDER");
  if (!folder) GTEST_SKIP() << "run by bench_schema_test.py";
  std::ofstream(std::string(folder) + "/comparison.json")
      << comparison_json(some_comparison(), {.started_utc = "2026-11-22T12:00:00Z"});
  std::ofstream(std::string(folder) + "/comparison.xml") << comparison_junit(some_comparison());
}

}  // namespace
}  // namespace gpulab::bench
