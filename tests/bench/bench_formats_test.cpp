#include "bench/bench_formats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/test_report.hpp"
#include "bench/bench_fixtures.hpp"
#include "text_contains.hpp"

namespace gpulab::bench {
namespace {

using nlohmann::json;

// Three processes of one case, and one that is wrong.
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

// Names and texts of the fields of each row, by RFC 4180.
std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& cell = lines.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      cell += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      lines.back().emplace_back();
    else if (!quoted && text.compare(i, 2, "\r\n") == 0)
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
                       "| lesson | variant | size | options | result | cold | steady | energy "
                       "|\n|---|---|---:|---|---|---:|---:|---:|\n"));
  EXPECT_TRUE(contains(
      text, "| histogram | shared | 1 024 |  | right | 11.0 us ± 9.1 % | 5.00 us ± 0.0 % | 0.25 J |\n"))
      << text;
  EXPECT_TRUE(contains(text, "| **wrong**: lost, \"updates\" in 3 bins |  |  |  |\n")) << text;
}

TEST(BenchMarkdown, HasCountsWhereNothingWasTimed) {
  EXPECT_TRUE(contains(bench_markdown(some_counts()), "| right | 32 | 128 |\n"));
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
  EXPECT_TRUE(contains(bench_junit({on_gpu({row})}), "<skipped message=\"too little memory\"/>"));
}

TEST(XmlText, HoldsWhatXmlCannotHold) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text(std::string("\x01\x1b[0m\0x", 7)), "\uFFFD\uFFFD[0m\uFFFDx");
  EXPECT_EQ(xml_text("tab\tline\nend\r"), "tab&#9;line&#10;end&#13;");
  EXPECT_EQ(xml_text("\u00b5 \u20ac \U0001F600"), "\u00b5 \u20ac \U0001F600");
  EXPECT_EQ(xml_text("\xff\xc0\xaf\xed\xa0\x80\xe2\x82"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(xml_text("\xef\xbf\xbe"), "\uFFFD");
}

// Bencher's adapter: names of benchmarks, names of measures, then value and both bounds as numbers, and
// nothing else.
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
}

// github-action-benchmark, customSmallerIsBetter: a list of name, unit and value, and the texts range and
// extra. It takes null for 0, and an empty list for an error.
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

TEST(BenchGha, LeavesOutWhatIsNotBetterWhenItIsSmaller) {
  const json list = json::parse(bench_gha(some_counts()));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["unit"], "count");
  EXPECT_TRUE(contains(list[0]["name"], "global_load_sectors"));
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

TEST(FormatsOfOtherTools, RefuseToSayNothing) {
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

}  // namespace
}  // namespace gpulab::bench
