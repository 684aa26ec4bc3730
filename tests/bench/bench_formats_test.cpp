#include "bench/bench_formats.hpp"

#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/bench_fixtures.hpp"
#include "bench/result.hpp"
#include "bench/some_benchmark.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace {

using nlohmann::json;

// Returns three processes of one case, and a case with a wrong result.
std::vector<BenchResult> some_bench() {
  BenchResult result = cold_in({12, 10, 11});
  for (BenchRow& row : result.rows) row.times[BenchTime::steady] = taking_us(5);
  result.rows[0].energy = Energy{.joules_per_run = 0.25, .watts = 300, .seconds = 1};
  result.rows[0].times[BenchTime::cold].clocks_hz = {1.9e9, 2e9, 1.95e9};
  result.rows[0].warnings = {"first", "second"};
  result.rows.push_back(wrong_row(some_case("wrong"), "lost, \"updates\"\nin 3 bins"));
  return {result};
}

std::vector<BenchResult> some_counts() {
  return {on_simulator({{"global_load_sectors", 128}, {"global_load_requests", 32}})};
}

// Reads CSV as RFC 4180 says; returns each row as a map from the names of the columns to its fields.
std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& cell = lines.back().back();
    const bool is_escaped = is_quoted && text.compare(i, 2, "\"\"") == 0;
    if (is_escaped)
      cell += text[i++];
    else if (text[i] == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && text[i] == ',')
      lines.back().emplace_back();
    else if (!is_quoted && text.compare(i, 2, "\r\n") == 0)
      lines.push_back({""}), ++i;
    else
      cell += text[i];
  }
  lines.pop_back();
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), lines[0].size());
    rows.emplace_back();
    for (std::size_t j = 0; j < lines[0].size(); ++j) rows.back()[lines[0][j]] = lines[i][j];
  }
  return rows;
}

TEST(BenchCsv, HasARowForEachResultOfEachProcess) {
  const auto rows = csv_rows(bench_csv(some_bench()));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("lesson"), "histogram");
  EXPECT_EQ(rows[0].at("options.distribution"), "uniform");
  EXPECT_EQ(rows[0].at("cold.median_s"), "1.2e-05");
  EXPECT_EQ(rows[0].at("cold.samples"), "6");
  EXPECT_EQ(rows[0].at("cold.clock_hz"), "1950000000");
  EXPECT_EQ(rows[0].at("to_device.median_s"), "");
  EXPECT_EQ(rows[0].at("energy.joules_per_run"), "0.25");
  EXPECT_EQ(rows[0].at("warnings"), "first; second");
  EXPECT_EQ(rows[0].at("device.name"), "Some GPU");
  EXPECT_EQ(rows[2].at("process"), "2");
  EXPECT_EQ(rows[3].at("valid"), "false");
  EXPECT_EQ(rows[3].at("explanation"), "lost, \"updates\"\nin 3 bins");
}

TEST(BenchCsv, HasAColumnForEachCountOfAnyDocument) {
  std::vector<BenchResult> results = some_bench();
  results.push_back(some_counts()[0]);
  const auto rows = csv_rows(bench_csv(results));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].at("counts.global_load_sectors"), "");
  EXPECT_EQ(rows[4].at("counts.global_load_sectors"), "128");
  EXPECT_EQ(rows[4].at("cold.median_s"), "");
}

TEST(BenchMarkdown, HasARowForEachCase) {
  const std::string text = bench_markdown(some_bench());
  EXPECT_TRUE(contains(text,
                       "| lesson | variant | size | result | cold | steady | energy "
                       "|\n|---|---|---:|---|---:|---:|---:|\n"));
  EXPECT_TRUE(contains(
      text, "| histogram | shared | 1 024 | right | 11.0 us ± 9.1 % | 5.00 us ± 0.0 % | 250 mJ |\n"));
  EXPECT_TRUE(contains(text, "| **wrong**: lost, \"updates\" in 3 bins |  |  |  |\n"));
}

TEST(BenchMarkdown, HasTheSumsOfCountsWhereNothingWasTimed) {
  const std::string text = bench_markdown(some_counts());
  EXPECT_TRUE(contains(text, "| result | sectors |\n")) << text;
  EXPECT_TRUE(contains(text, "| right | 128 |\n"));
}

TEST(BenchMarkdown, HasTheOptionsThatVary) {
  std::vector<BenchResult> results = some_counts();
  results[0].rows.push_back(results[0].rows[0]);
  results[0].rows[1].what.options["distribution"] = std::string("sorted");
  EXPECT_TRUE(contains(bench_markdown(results), "| 1 024 | distribution=sorted | right | 128 |\n"));
}

TEST(BenchJunit, HasATestCaseForEachResult) {
  const std::string text = bench_junit(some_bench());
  EXPECT_TRUE(contains(text, "tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_TRUE(contains(text,
                       "<testcase classname=\"gpulab.histogram\" name=\"shared size=1024 "
                       "distribution=uniform seed=42 process=2\" "
                       "time=\"0.000011000\">"));
  EXPECT_TRUE(contains(text, "<failure type=\"wrong\" message=\"lost, &quot;updates&quot;&#10;in 3 bins\">"));
}

TEST(BenchJunit, SkipsWhatWasNotRun) {
  BenchRow row = wrong_row(some_case(), "too little memory");
  row.observed = Outcome::not_run;
  EXPECT_TRUE(contains(bench_junit({on_gpu({row})}), "failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_TRUE(contains(bench_junit({on_gpu({row})}), "<testsuites name=\"gpulab bench\" tests=\"1\""));
  EXPECT_TRUE(contains(bench_junit({on_gpu({row})}), "<skipped message=\"too little memory\"/>"));
  BenchResult stopped = on_gpu({row});
  stopped.stopped_by = "it was interrupted by SIGTERM";
  EXPECT_TRUE(contains(bench_junit({stopped}), "<error type=\"incomplete\""));
}

TEST(XmlText, EscapesWhatXmlCannotHold) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text(std::string("\x01\x1b[0m\0x", 7)), "\uFFFD\uFFFD[0m\uFFFDx");
  EXPECT_EQ(xml_text("tab\tline\nend\r"), "tab&#9;line&#10;end&#13;");
  EXPECT_EQ(xml_text("\u00b5 \u20ac \U0001F600"), "\u00b5 \u20ac \U0001F600");
  EXPECT_EQ(xml_text("\xff\xc0\xaf\xed\xa0\x80\xe2\x82"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(xml_text("\xef\xbf\xbe"), "\uFFFD");
}

// Bencher's adapter reads `value`, `lower_value` and `upper_value` of each measure, and nothing else.
TEST(BenchBmf, HasMeasuresWithTheirRange) {
  const json document = json::parse(bench_bmf(some_bench()));
  ASSERT_EQ(document.size(), 1u) << "what is wrong is left out";
  const json& measures = document.at("histogram shared size=1024 distribution=uniform seed=42");
  EXPECT_NEAR(measures["latency"]["value"], 11000, 1e-6);
  EXPECT_NEAR(measures["latency"]["lower_value"], 10000, 1e-6);
  EXPECT_NEAR(measures["latency"]["upper_value"], 12000, 1e-6);
  EXPECT_NEAR(measures["steady-latency"]["value"], 5000, 1e-6);
  EXPECT_EQ(measures["energy"]["value"], 0.25);
  EXPECT_FALSE(measures["energy"].contains("lower_value"));
  const std::set<std::string> known = {"value", "lower_value", "upper_value"};
  for (const auto& [name, metric] : measures.items())
    for (const auto& [field, value] : metric.items()) {
      EXPECT_TRUE(known.contains(field)) << field;
      EXPECT_TRUE(value.is_number()) << name << " " << field;
    }
}

TEST(BenchBmf, HasCountsByNamesThatBencherTakes) {
  const json document = json::parse(bench_bmf(some_counts()));
  EXPECT_EQ(document.begin()->at("global-load-sectors")["value"], 128);
  EXPECT_FALSE(document.begin()->contains("global-load-requests")) << "no comparison judges it";
}

// github-action-benchmark, customSmallerIsBetter: a list of name, unit and value, and the texts range and
// extra. It reads null as 0, and refuses an empty list.
TEST(BenchGha, IsAListOfNumbersThatAreBetterWhenTheyAreSmaller) {
  const json list = json::parse(bench_gha(some_bench()));
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), 3u);
  for (const json& entry : list) {
    EXPECT_TRUE(entry.at("name").is_string());
    EXPECT_TRUE(entry.at("unit").is_string());
    EXPECT_TRUE(entry.at("value").is_number());
    EXPECT_TRUE(entry.value("range", "± ").starts_with("± "));
    EXPECT_TRUE(entry.value("extra", json("")).is_string());
    EXPECT_LE(entry.size(), 5u);
  }
  EXPECT_EQ(list[0]["name"], "histogram shared size=1024 distribution=uniform seed=42 cold [Some GPU]");
  EXPECT_EQ(list[0]["unit"], "us");
  EXPECT_NEAR(list[0]["value"], 11, 1e-9);
  EXPECT_NEAR(std::stod(list[0]["range"].get<std::string>().substr(3)), 1, 1e-9);
}

TEST(BenchGha, LeavesOutCountsThatAreNotBetterWhenSmaller) {
  const json list = json::parse(bench_gha(some_counts()));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["unit"], "count");
  EXPECT_TRUE(contains(list[0]["name"], "global_load_sectors [simulated]")) << list[0]["name"];
}

// Bencher's cpp_google wants context.caches, and of each row a name, a number real_time and a time_unit that
// it knows. github-action-benchmark's googlecpp reads every row, so that an aggregate would be one more
// benchmark.
TEST(BenchGbench, IsWhatReadersOfGoogleBenchmarkRequire) {
  const json document = json::parse(bench_gbench(some_bench()));
  const json& context = document.at("context");
  EXPECT_TRUE(context.at("caches").is_array());
  EXPECT_TRUE(context.at("load_avg").is_array());
  EXPECT_TRUE(context.at("date").is_string());
  EXPECT_TRUE(context.at("num_cpus").is_number_integer());
  EXPECT_EQ(context.at("json_schema_version"), 1);
  EXPECT_EQ(context.at("library_build_type"), "release");
  std::set<std::string> names;
  for (const json& row : document.at("benchmarks")) {
    EXPECT_EQ(row.at("run_type"), "iteration");
    EXPECT_EQ(row.at("time_unit"), "us");
    EXPECT_TRUE(row.at("real_time").is_number());
    EXPECT_TRUE(row.at("cpu_time").is_number());
    for (const char* field : {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
                              "threads", "iterations"})
      EXPECT_TRUE(row.at(field).is_number_integer()) << field;
    EXPECT_FALSE(row.contains("aggregate_name"));
    EXPECT_TRUE(names.insert(row.at("name")).second) << "only the first of a name would be read";
    EXPECT_EQ(row.at("run_name"), row.at("name"));
  }
  EXPECT_EQ(names.size(), 2u);
  EXPECT_NEAR(document["benchmarks"][0]["real_time"], 11, 1e-9);
  EXPECT_EQ(document["benchmarks"][0]["iterations"], 18);
}

TEST(FormatsOfOtherTools, RefuseResultsWithoutNumbers) {
  const std::vector<BenchResult> wrong = {on_gpu({wrong_row(some_case(), "lost updates")})};
  EXPECT_THROW(bench_bmf(wrong), UsageError);
  EXPECT_THROW(bench_gha(wrong), UsageError);
  EXPECT_THROW(bench_gbench(some_counts()), UsageError);
}

TEST(BenchFormats, AreWrittenForTheTestOfTheirReaders) {
  const char* folder = std::getenv("GPULAB_BENCH_FOLDER");
  if (!folder) GTEST_SKIP() << "run by bench_schema_test.py";
  BenchRow hostile = wrong_row(some_case("a\x01<b>\xff"), "]]> \x1b[31mred\x1b[0m & \"more\"");
  std::vector<BenchResult> results = some_bench();
  results.push_back(on_gpu({hostile}));
  std::ofstream(std::string(folder) + "/bench.xml") << bench_junit(results);
  std::ofstream(std::string(folder) + "/bench.csv", std::ios::binary) << bench_csv(some_bench());
}

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

TEST(Sections, HoldAllSizesWhereAnOptionSetsThem) {
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
  const CaseFigures counted = cases_in_order({some_simulated_benchmark()})[0];
  EXPECT_EQ(sum_of_counts(counted, "sectors"), 4097);
  EXPECT_EQ(sum_of_counts(counted, "wavefronts"), std::nullopt);
  const auto figures = count_figures(counted);
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

TEST(CaseDifferences, LeaveOutWhatAllCasesShare) {
  const CaseDifferences differences({some_case("a"), some_case("b", 4096)});
  EXPECT_EQ(differences.text(some_case("a")), "");
}

TEST(CaseDifferences, NameTheOptionsTheSeedsAndTheBlocksThatDiffer) {
  BenchCase other = some_case();
  other.options["distribution"] = std::string("sorted");
  other.block_size = 64;
  const CaseDifferences differences({some_case(), other});
  EXPECT_EQ(differences.text(some_case()), "distribution=uniform block=own");
  EXPECT_EQ(differences.text(other), "distribution=sorted block=64");
}

TEST(CaseDifferences, AreThoseOfEachLesson) {
  BenchCase of_another_lesson = some_case();
  of_another_lesson.lesson = "matmul";
  of_another_lesson.seed = 7;
  EXPECT_EQ(CaseDifferences({some_case(), of_another_lesson}).text(of_another_lesson), "");
}

TEST(BenchFigures, AreMediansOverProcesses) {
  const std::vector<CaseFigures> cases = case_figures({cold_in({3, 1, 2})});
  ASSERT_EQ(cases.size(), 1u);
  const BenchFigure& cold = cases[0].figures.at(0);
  EXPECT_EQ(cold.name, "cold");
  EXPECT_DOUBLE_EQ(cold.value, 2e-6);
  EXPECT_DOUBLE_EQ(cold.range->low, 1e-6);
  EXPECT_DOUBLE_EQ(cold.range->high, 3e-6);
  EXPECT_EQ(cold.processes, 3u);
  EXPECT_EQ(cold.samples, 18u);
}

TEST(BenchFigures, HaveTheMediansOfTheFirstAndTheLastClocks) {
  BenchResult result = cold_in({1});
  result.rows[0].times[BenchTime::cold].clocks_hz = {1, 2, 3, 50, 50, 50, 7, 8, 9};
  EXPECT_EQ(case_figures({result})[0].figures[0].clocks_hz, (std::vector<double>{2, 8}));
}

TEST(BenchFigures, AreSortedByLessonThenBySize) {
  const std::vector<CaseFigures> cases =
      case_figures({on_gpu({cold_row(some_case("a", 4096), 1), cold_row(some_case("b", 512), 1),
                            cold_row({.lesson = "coalescing", .variant = "z", .size = 9999}, 1)})});
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].what.lesson, "coalescing");
  EXPECT_EQ(cases[1].what.size, 512u);
  EXPECT_EQ(cases[2].what.size, 4096u);
}

TEST(BenchFigures, AreOfAResultThatIsWrongIfOneProcessSaysSo) {
  const std::vector<CaseFigures> cases =
      case_figures({cold_in({1, 1}), on_gpu({wrong_row(some_case(), "lost updates")})});
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_FALSE(cases[0].valid);
  EXPECT_EQ(cases[0].explanation, "lost updates");
}

TEST(BenchFigures, HaveARangeOfCountsOnlyWhereTheyDiffer) {
  const BenchResult once = on_simulator({{"fiber_switches", 8}}),
                    again = on_simulator({{"fiber_switches", 9}});
  EXPECT_FALSE(case_figures({once, once})[0].figures[0].range);
  EXPECT_TRUE(case_figures({once, again})[0].figures[0].range);
}

TEST(BenchText, HasARowForEachCaseWithItsTimeAndRate) {
  const std::string text = bench_text(some_sweep(), {.width = 100});
  EXPECT_TRUE(contains(text, "bench · Some GPU · 1 process · 2026-03-01T09:30:00Z"));
  EXPECT_TRUE(contains(text, "reduction · seed=42\n"));
  EXPECT_TRUE(contains(text, "fast       16 777 216  50.0 us  ± 1.0 %  1 342\n"));
  EXPECT_TRUE(contains(text, "reference  16 777 216  64.0 ms"));
}

TEST(BenchText, FitsItsWidth) {
  for (const unsigned width : {40u, 80u})
    for (const BenchResult& result : {some_sweep(), some_simulated_benchmark()})
      for (const std::string& line : lines_of(bench_text(result, {.width = width})))
        EXPECT_LE(display_width(line), width) << line;
}

TEST(BenchText, ShowsCountsOnTheSimulatorAndNoTimes) {
  const std::string text = bench_text(some_simulated_benchmark(), {.width = 100});
  EXPECT_TRUE(contains(text, "fast     1 024      129          16.5"));
  EXPECT_FALSE(contains(text, "cold")) << text;
}

TEST(BenchText, SaysWhatIsInvalidInPlaceOfFigures) {
  BenchResult result = some_sweep();
  result.rows[5].valid = false;
  result.rows[5].observed = Outcome::wrong;
  result.rows[5].explanation = "3 of 8 wrong";
  const std::string text = bench_text(result, {.width = 100});
  EXPECT_TRUE(contains(text, "fast       16 777 216  INVALID: wrong: 3 of 8 wrong"));
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

TEST(BenchText, WarnsOnceOfTimesThatTheMemoryDoesNotAllow) {
  BenchResult result = cold_in({1, 0.9, 1.1});
  for (BenchRow& row : result.rows) row.traffic.bytes_read = 4.8e7;
  const std::string text = bench_text(result, {.width = 400});
  EXPECT_TRUE(contains(text, "warning: 1111.1 % of the theoretical peak")) << text;
  EXPECT_EQ(text.find("warning"), text.rfind("warning"));
}

TEST(BenchText, HasTheClaimsThatWereTested) {
  BenchResult result = some_sweep();
  const Claim claim = at_least(2, "fast", "naive");
  result.claims = {{"reduction", 1 << 24, {claim, ClaimVerdict::holds, 8.0}},
                   {"reduction", 1 << 18, {claim, ClaimVerdict::needs_gpu, {}}}};
  const std::string text = bench_text(result, {.width = 100});
  EXPECT_TRUE(contains(text, "holds: reduction, 16 777 216: fast is at least 2x as fast as naive (8.0x)"));
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
                       "(3.0x to 4.0x)\n"));
  EXPECT_TRUE(contains(text, "does not hold: reduction, 1 024: "));
  EXPECT_FALSE(contains(text, "simulator")) << text;
}

TEST(BenchText, WritesActiveLanesInOneForm) {
  BenchResult result = some_simulated_benchmark();
  result.rows[0].counts["global_load_requests"] = 1000;
  result.rows[0].counts["global_load_active_lanes"] = 31'990;
  const std::string text = bench_text(result, {.width = 100});
  EXPECT_TRUE(contains(text, " 32\n"));
  EXPECT_FALSE(contains(text, "32.0")) << text;
}

TEST(BenchText, NamesTheFilesOfSeveralDocuments) {
  const std::string text = bench_text({some_sweep(), some_sweep()}, {"base.json", "new.json"}, {});
  EXPECT_TRUE(contains(text, "── base.json\nbench"));
  EXPECT_TRUE(contains(text, "── new.json\nbench"));
}

TEST(BenchPlot, DrawsRatesOverSize) {
  const std::string text = bench_plot(some_sweep(), {.width = 80});
  EXPECT_TRUE(contains(text, "reduction\nGB/s\n"));
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
