#include <fstream>

#include "bench/bench_json.hpp"
#include "bench/page/page.hpp"
#include "bench/some_benchmark.hpp"
#include "program_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::cli {
namespace {

class Report : public ProgramTest {
 protected:
  std::string document(const std::string& name, const bench::BenchResult& result) const {
    std::ofstream(folder / name) << bench::bench_json(result);
    return (folder / name).string();
  }
  std::string in_folder(const std::string& name) const { return (folder / name).string(); }
  std::string content(const std::string& name) const { return content_of(folder / name); }
};

TEST_F(Report, IsTextUnlessItIsAskedForOtherwise) {
  const ProgramRun ran = run({"report", document("new.json", bench::some_sweep())}, {{"COLUMNS", "80"}});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(simulator::contains(ran.out, "bench · Some GPU")) << ran.out;
}

TEST_F(Report, PutsVariantsInTheOrderOfTheirLesson) {
  bench::BenchResult result =
      bench::some_benchmark({bench::some_row("unheard-of", 8, 1), bench::some_row("wide-loads", 8, 1),
                             bench::some_row("interleaved", 8, 1), bench::some_reference(8, 1)});
  const std::string out = run({"report", document("new.json", result)}).out;
  EXPECT_LT(out.find("reference"), out.find("interleaved"));
  EXPECT_LT(out.find("interleaved"), out.find("wide-loads"));
  EXPECT_LT(out.find("wide-loads"), out.find("unheard-of"));
}

TEST_F(Report, TakesItsFormatFromTheEndingOfTheOutput) {
  const std::string file = document("new.json", bench::some_sweep());
  EXPECT_EQ(run({"report", file, "-o", in_folder("new.csv")}).exit_code, 0);
  EXPECT_TRUE(content("new.csv").starts_with("id,")) << content("new.csv").substr(0, 80);
  const ProgramRun unknown = run({"report", file, "-o", in_folder("new.odt")});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(simulator::contains(unknown.err, "add --format text|html|csv")) << unknown.err;
}

TEST_F(Report, ComparesTheFirstDocumentWithTheOthersOnAPage) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  bench::BenchResult now = bench::some_sweep();
  for (bench::BenchRow& row : now.rows)
    for (auto& [time, timing] : row.times) timing = bench::some_timing(2 * timing.median_s);
  const ProgramRun ran = run({"report", document("base.json", bench::some_sweep()), document("new.json", now),
                              "-o", in_folder("both.html")});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(simulator::contains(content("both.html"), "<strong>Compared:</strong> 4 regressed"));
}

TEST_F(Report, ComparesTwoSidesOnAPage) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  bench::BenchResult now = bench::some_sweep();
  for (bench::BenchRow& row : now.rows)
    for (auto& [time, timing] : row.times) timing = bench::some_timing(2 * timing.median_s);
  const std::string base = document("base.json", bench::some_sweep()), slow = document("new.json", now);
  const ProgramRun ran = run({"report", "-o", in_folder("both.html"), base, base, "--", slow});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(simulator::contains(content("both.html"), "2 processes before, 1 now"));
  EXPECT_EQ(run({"report", base, "--", slow, "-o", in_folder("other.html")}).exit_code, 2);
}

TEST_F(Report, ShowsDocumentsThatCannotBeComparedAndSaysWhy) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  bench::BenchResult other = bench::some_sweep();
  other.device.name = "Other GPU";
  const ProgramRun ran =
      run({"report", document("a.json", bench::some_sweep()), document("b.json", other), "--format", "html"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(simulator::contains(ran.out, "<strong>Not compared:</strong>"));
}

TEST_F(Report, DrawsAPlotInTheTerminal) {
  const std::string file = document("new.json", bench::some_sweep());
  const ProgramRun ran = run({"report", file, "--plot"}, {{"COLUMNS", "80"}});
  EXPECT_TRUE(simulator::contains(ran.out, "a reference   b fast   c naive")) << ran.out;
  EXPECT_EQ(run({"report", file, "--plot", "--format", "csv"}).exit_code, 2);
}

TEST_F(Report, RefusesWhatIsNoDocument) {
  std::ofstream(folder / "other.json") << "{}";
  const ProgramRun ran = run({"report", in_folder("other.json")});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(simulator::contains(ran.err, "is no document of gpulab bench")) << ran.err;
  EXPECT_EQ(run({"report"}).exit_code, 2);
}

}  // namespace
}  // namespace gpulab::cli
