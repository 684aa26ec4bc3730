#include "bench/page/page.hpp"

#include <regex>

#include "bench/bench_fixtures.hpp"
#include "bench/some_benchmark.hpp"
#include "test.hpp"

namespace gpulab::bench::page {
namespace {

// bench_html_test.py checks how the page looks.
class BenchHtml : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  }
  static std::string html(const BenchResult& result) {
    return bench_html({.files = {"new.json"}, .results = {result}});
  }
};

TEST_F(BenchHtml, SaysWhereWhenAndByWhatItWasMeasured) {
  const std::string text = html(some_sweep());
  EXPECT_TRUE(contains(text, "<title>reduction on Some GPU · gpulab</title>"));
  for (const char* fact :
       {"node7, 16 threads", "2026-03-01T09:30:00Z", "0.1.0, revision abc", "gpulab bench reduction"})
    EXPECT_TRUE(contains(text, fact)) << fact;
}

TEST_F(BenchHtml, NamesNothingToLoad) {
  const std::string text = html(some_sweep());
  EXPECT_TRUE(contains(text, "default-src 'none'"));
  EXPECT_FALSE(std::regex_search(text, std::regex("<(link|img|iframe|script[^>]* src)")));
}

TEST_F(BenchHtml, HasEachDocumentInIt) {
  const std::string text =
      bench_html({.files = {"base.json", "new.json"}, .results = {some_sweep(), some_sweep()}});
  EXPECT_TRUE(contains(text, "class=\"document\" data-file=\"base.json\">\n{"));
  EXPECT_TRUE(contains(text, "class=\"document\" data-file=\"new.json\">\n{"));
}

TEST_F(BenchHtml, SaysFirstWhatIsMissingAndWrong) {
  BenchResult result = some_sweep();
  result.stopped_by = "SIGINT";
  result.plan.rows = 40;
  result.rows[5].valid = false;
  result.rows[5].observed = Outcome::wrong;
  result.rows[5].explanation = "3 of 8 wrong";
  result.rows[4].warnings = {"the clock fell"};
  const std::string text = html(result);
  EXPECT_TRUE(contains(text, "<strong>Not complete:</strong> 6 of 40 rows were measured (SIGINT)"));
  EXPECT_TRUE(contains(text, "<strong>Not valid:</strong> reduction fast 2²⁴: wrong, 3 of 8 wrong."));
  EXPECT_TRUE(contains(text, "<strong>Warning:</strong> the clock fell (reduction naive 2²⁴)"));
  EXPECT_TRUE(contains(html(some_sweep()), "<strong>Complete.</strong>"));
}

TEST_F(BenchHtml, ListsACompileErrorOnce) {
  BenchResult result = some_sweep();
  for (const std::size_t i : {4, 5}) {
    result.rows[i].valid = false;
    result.rows[i].observed = Outcome::fails_to_compile;
    result.rows[i].explanation = "mine/sum.cu:3: expected ;";
  }
  const std::string text = html(result), item = "<strong>Not valid:</strong>";
  EXPECT_TRUE(contains(text, item + " reduction naive 2²⁴ and 1 more: "));
  EXPECT_EQ(text.find(item), text.rfind(item));
}

TEST_F(BenchHtml, EscapesMarkupInTexts) {
  BenchResult result = some_sweep();
  for (BenchRow& row : result.rows)
    if (row.what.variant == "fast") row.what.variant = "</script><b onclick='x'>&";
  const std::string text = bench_html({.files = {"\"><b>.json"}, .results = {result}});
  EXPECT_FALSE(contains(text, "<b onclick"));
  EXPECT_FALSE(contains(text, "<b>"));
  EXPECT_TRUE(contains(text, "&lt;/script&gt;&lt;b onclick='x'&gt;&amp;"));
}

TEST_F(BenchHtml, ShowsGpusThatCannotBeComparedBesideEachOther) {
  BenchResult other = some_sweep();
  other.device.name = "Other GPU";
  const std::string text = bench_html(
      {.files = {"a.json", "b.json"}, .results = {some_sweep(), other}, .not_compared = "the GPUs differ"});
  EXPECT_TRUE(contains(text, "<strong>Not compared:</strong> the GPUs differ"));
  EXPECT_TRUE(contains(text, ">reduction · Some GPU</h2>"));
  EXPECT_TRUE(contains(text, ">reduction · Other GPU</h2>"));
}

TEST_F(BenchHtml, DrawsTheNewFiguresWhenItCompares) {
  BenchResult now = some_sweep();
  for (BenchRow& row : now.rows)
    if (row.what.variant == "fast") row.what.variant = "faster";
  Comparison comparison{
      .changes = {{.what = now.rows[2].what, .figure = "cold", .kind = ChangeKind::regressed, .ratio = 2}}};
  const std::string text = bench_html(
      {.files = {"base.json", "new.json"}, .results = {some_sweep(), now}, .comparison = comparison});
  EXPECT_TRUE(contains(text, "base.json (before)"));
  EXPECT_TRUE(contains(text, ">What changed</h2>"));
  EXPECT_TRUE(contains(text, "<title>reduction on Some GPU, before and now · gpulab</title>"));
  EXPECT_TRUE(contains(text, "<th scope=\"row\">faster</th>"));
  EXPECT_FALSE(contains(text, "<th scope=\"row\">fast</th>"));
}

TEST_F(BenchHtml, GivesAVariantThatIsGoneAStyleOfItsOwn) {
  BenchResult now = some_sweep();
  std::erase_if(now.rows, [](const BenchRow& row) { return row.what.variant == "naive"; });
  const Comparison comparison{
      .before = {some_sweep()}, .now = {now}, .changes = {{.what = now.rows[1].what, .figure = "cold"}}};
  const std::string text = bench_html(
      {.files = {"base.json", "new.json"}, .results = {some_sweep(), now}, .comparison = comparison});
  const auto style_of = [&](const std::string& curve) {
    const std::size_t name = text.find("\"name\":\"" + curve + "\"");
    const std::size_t style = text.find("\"style\":", name);
    return name == std::string::npos ? std::string("none") : text.substr(style + 8, 1);
  };
  EXPECT_EQ(style_of("fast, before"), style_of("fast"));
  EXPECT_NE(style_of("naive, before"), style_of("fast"));
  EXPECT_NE(style_of("naive, before"), "none");
}

TEST_F(BenchHtml, DrawsTheCurvesBeforeBesideThoseOfNow) {
  const Comparison comparison{.before = {some_sweep()},
                              .now = {some_sweep()},
                              .changes = {{.what = some_sweep().rows[2].what, .figure = "cold"}}};
  const std::string text = bench_html({.files = {"base.json", "new.json"},
                                       .results = {some_sweep(), some_sweep()},
                                       .comparison = comparison});
  EXPECT_TRUE(contains(text, "\"name\":\"fast, before\""));
  EXPECT_TRUE(contains(text, "\"role\":\"kernel-before\""));
  EXPECT_FALSE(contains(text, "reference (CPU), before\"")) << "only kernels are compared";
  EXPECT_TRUE(contains(text, "<th scope=\"row\">naive, before</th>"));
  EXPECT_TRUE(contains(text, "Dashed: before."));
  EXPECT_TRUE(contains(text, "As it is now.")) << "bars at the largest size";
}

TEST_F(BenchHtml, WrapsLongReasons) {
  const ChartTable table{
      .titles = {"what", "why"},
      .rows = {{"a", "short"}, {"b", "between 0.934 and 1.081: measure again with more --runs"}}};
  const std::string text = table_markup(table, "caption");
  EXPECT_TRUE(contains(text, "<th scope=\"col\" class=\"long\">why</th>"));
  EXPECT_TRUE(contains(text, "<td class=\"long\">short</td>"));
  EXPECT_TRUE(contains(text, "<td class=\"long\">between"));
}

TEST_F(BenchHtml, ListsWhatIsMissingAndNewAndWhatCannotBeDrawn) {
  Comparison comparison{.rules = {.is_strict = true}};
  for (const char* variant : {"a", "b", "c", "d", "e"})
    comparison.changes.push_back({.what = some_case(variant), .kind = ChangeKind::missing});
  comparison.changes.push_back({.what = some_case("f"), .kind = ChangeKind::is_new});
  comparison.changes.push_back(
      {.what = some_case("g"), .kind = ChangeKind::invalid, .reason = "3 bins lost updates"});
  const std::string text = bench_html({.files = {"base.json", "new.json"},
                                       .results = {some_sweep(), some_sweep()},
                                       .comparison = comparison});
  EXPECT_TRUE(
      contains(text,
               "<li class=\"wrong\"><strong>Missing:</strong> histogram a 1 024, b 1 024, c 1 024 and "
               "2 more</li>"));
  EXPECT_TRUE(contains(text, "<li class=\"remark\"><strong>New:</strong> histogram f 1 024</li>"));
  EXPECT_TRUE(contains(text, "<td>invalid</td><td>3 bins lost updates</td>"));
}

TEST_F(BenchHtml, FoldsRemarksAndKeepsTheVerdict) {
  BenchResult result = some_sweep();
  result.remarks = {"reduction shuffle was left out", "another"};
  const std::string text = html(result);
  EXPECT_TRUE(contains(text, "<strong>Complete.</strong>"));
  EXPECT_TRUE(contains(text, "<details><summary>2 remarks</summary>"));
  EXPECT_TRUE(contains(text, "<strong>Remark:</strong> reduction shuffle was left out</li>"));
}

TEST_F(BenchHtml, NamesALessonWithoutFigures) {
  const std::string text = html(on_simulator({}));
  EXPECT_TRUE(contains(text, ">histogram</h2>\n<p class=\"note\">Nothing here was timed or counted."));
}

TEST_F(BenchHtml, KeepsTheStyleOfAVariantWhereAnotherIsWrong) {
  BenchResult result = on_simulator({{"global_load_sectors", 8}});
  result.rows.insert(result.rows.begin(), wrong_row(some_case("first"), "lost"));
  const std::string text = html(result);
  const std::size_t curve = text.find("\"name\":\"shared\"");
  ASSERT_NE(curve, text.npos);
  EXPECT_EQ(text.substr(text.find("\"style\":", curve), 9), "\"style\":1");
}

TEST_F(BenchHtml, HasNothingToDrawOfAnEmptyDocument) {
  BenchResult result = some_benchmark({});
  result.stopped_by = "SIGINT";
  EXPECT_TRUE(contains(html(result), "<h1>Nothing on Some GPU</h1>"));
}

}  // namespace
}  // namespace gpulab::bench::page
