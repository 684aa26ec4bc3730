#include <sys/stat.h>

#include "bench/bench_fixtures.hpp"
#include "bench/bench_formats.hpp"
#include "bench/page/page.hpp"
#include "bench/some_benchmark.hpp"
#include "program_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class Compare : public ProgramTest {
 protected:
  Compare() {
    write_bench("base.json", bench::cold_in({100, 101, 99}));
    write_bench("same.json", bench::cold_in({100, 100.5, 99.5}));
    write_bench("slow.json", bench::cold_in({106, 105, 107}));
  }

  void write_bench(const std::string& file, const bench::BenchResult& result) const {
    write(file, bench::bench_json(result));
  }

  void expect_refused(const std::string& file, const std::string& part) const {
    expect_refusal({"report", "base.json", file}, 2, part);
    expect_refusal({"report", file, "base.json"}, 2, part);
  }
};

TEST_F(Compare, EndsWithZeroWhereNothingRegressed) {
  const ProgramRun same = run({"report", "base.json", "same.json"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_TRUE(contains(same.out, "1 same (threshold 3 %, 3 processes before, 3 now)\n"));
}

TEST_F(Compare, EndsWithFiveAfterTheReportOfARegression) {
  const ProgramRun slow = run({"report", "base.json", "slow.json"});
  EXPECT_EQ(slow.exit_code, 5) << slow.err;
  EXPECT_TRUE(contains(slow.out, "1.060"));
  EXPECT_EQ(run({"report", "slow.json", "base.json"}).exit_code, 0) << "an improvement is not a failure";
}

TEST_F(Compare, ReplacesNoOtherJson) {
  write("package.json", "{}\n");
  for (const bool is_comparison : {false, true}) {
    std::vector<std::string> words{"report", "base.json"};
    if (is_comparison) words.emplace_back("same.json");
    words.insert(words.end(), {"--format", "json", "-o", "package.json"});
    EXPECT_EQ(run(words).exit_code, 2);
    EXPECT_EQ(read(folder / "package.json"), "{}\n");
    words.back() = is_comparison ? "comparison.json" : "copy.json";
    for (int time = 0; time < 2; ++time) EXPECT_EQ(run(words).exit_code, 0);
  }
}

TEST_F(Compare, WritesToStdoutUnderItsName) {
  const ProgramRun named = run({"report", "base.json", "same.json", "-o", "/dev/stdout"});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_TRUE(contains(named.out, "1 same"));
}

TEST_F(Compare, TakesOneValueForEachAllow) {
  for (const std::string file : {"base.json", "more.json"})
    write_bench(file, bench::on_simulator({{"global_load_sectors", file == "base.json" ? 8 : 16}}));
  const std::string figure = "global_load_sectors";
  EXPECT_EQ(run({"report", "base.json", "more.json"}).exit_code, 5);
  const ProgramRun allowed = run({"report", "--allow", figure, "base.json", "more.json"});
  EXPECT_EQ(allowed.exit_code, 0);
  EXPECT_FALSE(contains(allowed.out, "allowed nothing"));
  const ProgramRun nothing = run({"report", "--allow", figure, "more.json", "base.json"});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_TRUE(contains(nothing.out, "--allow global_load_sectors allowed nothing: no")) << nothing.out;
  const ProgramRun absent = run({"report", "--allow", figure, "--allow", "energy", "base.json", "more.json"});
  EXPECT_EQ(absent.exit_code, 0) << absent.err;
  EXPECT_TRUE(contains(absent.out, "--allow energy allowed nothing: no energy regressed")) << absent.out;
  expect_refusal({"report", "--allow", "enrgy", "base.json", "more.json"}, 2, "no figure here has this name");
  EXPECT_EQ(run({"report", "base.json", "--allow", figure, "--", "more.json"}).exit_code, 0);
  expect_refusal({"report", "--allow", figure, "--", "base.json", "more.json"}, 2,
                 "there must be a file on each side of --");
}

TEST_F(Compare, EndsWithOneWhereARightResultIsWrongNow) {
  write_bench("wrong.json", bench::on_gpu({bench::wrong_row(bench::some_case(), "3 bins lost updates")}));
  const ProgramRun wrong = run({"report", "base.json", "wrong.json"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(contains(wrong.out, "3 bins lost updates"));
}

TEST_F(Compare, EndsWithFiveWhereAFigureIsMissingIfItIsStrict) {
  bench::BenchResult base = bench::cold_in({100, 101, 99});
  for (bench::BenchRow& row : base.rows) row.times[bench::BenchTime::steady] = bench::taking_us(90);
  write_bench("steady.json", base);
  const ProgramRun lenient = run({"report", "steady.json", "base.json"});
  EXPECT_EQ(lenient.exit_code, 0) << lenient.err;
  EXPECT_TRUE(contains(lenient.out, "1 missing, 1 same"));
  EXPECT_EQ(run({"report", "steady.json", "base.json", "--strict"}).exit_code, 5);
  EXPECT_EQ(run({"report", "base.json", "same.json", "--strict"}).exit_code, 0);
}

TEST_F(Compare, SaysInEachFormatThatItFailsByStrictRules) {
  bench::BenchResult part = bench::cold_in({100, 100.5, 99.5});
  part.stopped_by = "it was interrupted";
  write_bench("part.json", part);
  const std::string reason = "what was measured now is incomplete: it was interrupted";
  const std::pair<const char*, std::string> formats[] = {
      {"text", "\nfails by --strict: " + reason + "\n"},
      {"md", "\n**fails by --strict: " + reason + "**\n"},
      {"junit", "name=\"fails by --strict\">\n      <failure type=\"strict\" message=\"" + reason},
      {"github", "::error title=gpulab%3A fails by --strict::" + reason + "\n"},
      {"json", "\"fails_by_strict\": \"" + reason + "\""}};
  for (const auto& [format, sentence] : formats) {
    const ProgramRun strict = run({"report", "base.json", "part.json", "--strict", "--format", format});
    EXPECT_EQ(strict.exit_code, 5) << format;
    EXPECT_TRUE(contains(strict.out, sentence)) << strict.out;
    const ProgramRun lenient = run({"report", "base.json", "part.json", "--format", format});
    EXPECT_EQ(lenient.exit_code, 0) << format;
    EXPECT_FALSE(contains(lenient.out, sentence)) << lenient.out;
  }
  const ProgramRun in_file = run({"report", "base.json", "part.json", "--strict", "-o", "strict.xml"});
  EXPECT_TRUE(in_file.err.ends_with("\nfails by --strict: " + reason + "\n")) << in_file.err;
}

TEST_F(Compare, TakesSeveralFilesOnEachSide) {
  write_bench("base-2.json", bench::cold_in({100}));
  write_bench("slow-2.json", bench::cold_in({106}));
  const ProgramRun slow = run({"report", "base.json", "base-2.json", "--", "slow.json", "slow-2.json"});
  EXPECT_EQ(slow.exit_code, 5) << slow.err;
  EXPECT_TRUE(contains(slow.out, "(threshold 3 %, 4 processes before, 4 now)"));
  EXPECT_EQ(run({"report", "--threshold", "10%", "base.json", "--", "slow.json", "slow-2.json"}).exit_code,
            0);
}

TEST_F(Compare, CountsNoDocumentTwice) {
  write("copy.json", read(folder / "base.json"));
  expect_refusal({"report", "base.json", "copy.json", "--", "same.json"}, 2,
                 "copy.json is the document in base.json, a second time");
  const ProgramRun both = run({"report", "base.json", "copy.json", "--strict"});
  EXPECT_EQ(both.exit_code, 5);
  EXPECT_TRUE(
      both.out.ends_with("\nfails by --strict: base.json and copy.json are the same document: it is "
                         "compared with itself\n"))
      << both.out;
  EXPECT_EQ(run({"report", "base.json", "copy.json"}).exit_code, 0) << "it is a remark";
  EXPECT_FALSE(contains(run({"report", "base.json", "same.json"}).out, "same document"));
}

TEST_F(Compare, SaysHowTheSidesAreWritten) {
  const std::string form = "gpulab report BASE NEW, or gpulab report BASE... -- NEW...";
  expect_refusal({"report"}, 2, "FILE is missing: gpulab report FILE...");
  expect_refusal({"report", "base.json", "--plot", "--threshold", "5%"}, 2, "needs two sides: " + form);
  expect_refusal({"report", "base.json", "same.json", "slow.json"}, 2,
                 "with more than two files, -- must stand");
  expect_refusal({"report", "--", "slow.json"}, 2, "a file on each side of --");
  expect_refusal({"report", "base.json", "--"}, 2, "a file on each side of --");
  expect_refusal({"report", "base.json", "--", ""}, 2, "argument 4 is empty: is a shell variable not set?");
  expect_refusal({"report", "base.json", "--", "slow.json", "--all"}, 2,
                 "options such as --all must stand before --");
  expect_refusal({"report", "base.json", "--", "slow.json", "--", "same.json"}, 2,
                 "-- may stand only once, between the two sides: " + form);
}

TEST_F(Compare, TakesAThresholdAsAPercentageOrAFraction) {
  for (const char* wide : {"10%", "0.1", "10 %", "1e1%"})
    EXPECT_EQ(run({"report", "base.json", "slow.json", "--threshold", wide}).exit_code, 0) << wide;
  EXPECT_EQ(run({"report", "base.json", "slow.json", "--threshold", "1%"}).exit_code, 5);
  for (const char* invalid : {"", "5", "x", "-5%", "0", "5ms", "nan", "2000%"})
    expect_refusal({"report", "base.json", "slow.json", "--threshold", invalid}, 2, "--threshold");
}

TEST_F(Compare, IgnoresDifferencesBelowTheSmallestThatMatters) {
  EXPECT_EQ(run({"report", "base.json", "slow.json", "--min-difference", "10us"}).exit_code, 0);
  EXPECT_EQ(run({"report", "base.json", "slow.json", "--min-difference", "1000ns"}).exit_code, 5);
  expect_refusal({"report", "base.json", "slow.json", "--min-difference", "10"}, 2, "write it with its unit");
}

TEST_F(Compare, WritesWhatOtherProgramsRead) {
  const std::map<std::string, std::string> begins = {
      {"json", "{\n  \"schema\": \"gpulab.compare\""},
      {"md", "**1 regressed (threshold"},
      {"junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"},
      {"github", "::error title=gpulab%3A histogram shared regressed::"}};
  for (const auto& [format, begin] : begins) {
    const ProgramRun slow = run({"report", "base.json", "slow.json", "--format", format});
    EXPECT_EQ(slow.exit_code, 5) << format;
    EXPECT_TRUE(slow.out.starts_with(begin)) << slow.out;
  }
}

TEST_F(Compare, WritesAFileAndPrintsTheSummary) {
  const ProgramRun slow =
      run({"report", "base.json", "slow.json", "--format", "md", "--output", "report.md"});
  EXPECT_EQ(slow.exit_code, 5);
  EXPECT_EQ(slow.out, "");
  EXPECT_TRUE(contains(slow.err, "1 regressed"));
  EXPECT_TRUE(read(folder / "report.md").starts_with("**1 regressed"));
  EXPECT_EQ(run({"report", "base.json", "slow.json", "--output", "report.txt", "--quiet"}).err, "");
}

TEST_F(Compare, RefusesFilesThatAreNoDocumentsOfBench) {
  write("empty.json", "");
  write("text.json", "hello\n");
  write("other.json", R"({"schema": "gpulab.limits", "schema_version": "1.0.0"})");
  std::filesystem::create_directory(folder / "folder.json");
  expect_refused("missing.json", "cannot read missing.json: No such file or directory");
  expect_refused("folder.json", "cannot read folder.json: it is a folder");
  expect_refused("empty.json", "empty.json is empty");
  expect_refusal({"report", "-"}, 2, "stdin is empty");
  expect_refused("text.json", "text.json is not a document of gpulab bench, which would begin with {");
  expect_refused("other.json", "is a document of another command, \"gpulab.limits\"");
}

TEST_F(Compare, SaysInTheFormatOfAServiceWhyThereIsNoReport) {
  write("cut.json", "{");
  const ProgramRun github = run({"report", "base.json", "cut.json", "--format", "github"});
  EXPECT_EQ(github.exit_code, 2);
  EXPECT_TRUE(github.out.starts_with("::error title=gpulab report::cut.json is a damaged document"));
  EXPECT_TRUE(github.err.starts_with("gpulab: cut.json is a damaged document")) << github.err;
  const ProgramRun one = run({"report", "base.json", "--format", "github"});
  EXPECT_TRUE(contains(one.out, "::error title=gpulab report::--format github writes a comparison"))
      << one.out;
  EXPECT_EQ(run({"report", "base.json", "cut.json", "--output", "report.xml"}).exit_code, 2);
  const std::string junit = read(folder / "report.xml");
  EXPECT_TRUE(contains(junit, "errors=\"1\"") && contains(junit, "cut.json is a damaged document")) << junit;
  EXPECT_EQ(run({"report", "base.json", "report.xml", "--output", "report.xml"}).exit_code, 2);
  EXPECT_EQ(read(folder / "report.xml"), junit) << "what a report reads stays as it is";
}

TEST_F(Compare, RefusesAPipeThatNobodyWritesTo) {
  ASSERT_EQ(::mkfifo((folder / "pipe.json").c_str(), 0600), 0);
  expect_refusal({"report", "base.json", "pipe.json"}, 2, "pipe");
}

TEST_F(Compare, RefusesADocumentThatIsCutOff) {
  const std::string text = bench::bench_json(bench::cold_in({100, 101, 99}));
  for (const std::size_t length : {std::size_t{1}, text.size() / 3, text.size() / 2, text.size() - 3}) {
    write("cut.json", text.substr(0, length));
    expect_refused("cut.json", "it is not a whole JSON document: it is cut off or damaged at byte ");
  }
}

TEST_F(Compare, RefusesANumberThatIsTooLarge) {
  std::string text = bench::bench_json(bench::cold_in({100, 101, 99}));
  text.insert(text.find_first_of("0123456789", text.find("\"size\"")), "1" + std::string(400, '0'));
  write("huge.json", text);
  expect_refused("huge.json",
                 "huge.json is a damaged document of gpulab bench: it has a number that is too large");
}

TEST_F(Compare, RefusesADocumentOfANewerSchema) {
  std::string text = bench::bench_json(bench::cold_in({100, 101, 99}));
  text.replace(text.find("1.8.0", text.find("schema_version")), 5, "2.3.0");
  write("newer.json", text);
  expect_refused("newer.json", "newer.json has version 2.3.0 of the schema, and this gpulab reads version 1");
}

TEST_F(Compare, RefusesAFileThatIsTooLargeToBeMeant) {
  std::filesystem::resize_file(folder / "same.json", std::uintmax_t{513} << 20);  // sparse: it takes no room
  expect_refusal({"report", "base.json", "same.json"}, 2, "same.json is larger than 512 MiB");
}

TEST_F(Compare, RefusesWhatHasNothingInCommon) {
  write_bench("larger.json", bench::cold_in({100}, bench::some_case("shared", 4096)));
  expect_refused("larger.json", "the sizes differ: ");
}

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
  EXPECT_TRUE(contains(ran.out, "bench · Some GPU"));
}

TEST_F(Report, EndsAsBenchDoesForTheSameRows) {
  const std::pair<Outcome, int> codes[] = {
      {Outcome::wrong, 1}, {Outcome::fails_to_compile, 3}, {Outcome::faults, 4}, {Outcome::not_run, 4}};
  for (const auto& [observed, code] : codes) {
    bench::BenchResult result = bench::on_gpu({bench::wrong_row(bench::some_case(), "3 bins")});
    result.rows[0].observed = observed;
    const std::string file = document("wrong.json", result);
    for (const char* format : {"text", "csv", "junit", "md"})
      EXPECT_EQ(run({"report", file, "--format", format}).exit_code, code) << format;
    if (!bench::page::has_chart_library()) continue;
    EXPECT_EQ(run({"report", file, "-o", in_folder("wrong.html")}).exit_code, code);
  }
}

TEST_F(Report, EndsWithFiveForRightRowsOfAnInterruptedBench) {
  bench::BenchResult result = bench::some_sweep();
  result.stopped_by = "it was interrupted by SIGINT";
  const ProgramRun ran = run({"report", document("part.json", result)});
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_TRUE(contains(ran.out, "SIGINT"));
}

TEST_F(Report, EndsWithTwoForADocumentWithoutRows) {
  const std::string empty = document("empty.json", bench::on_gpu({}));
  for (const char* format : {"text", "csv", "junit", "md"}) {
    const ProgramRun ran = run({"report", empty, "--format", format});
    EXPECT_EQ(ran.exit_code, 2) << format;
    EXPECT_TRUE(contains(ran.err, "empty.json has no rows")) << ran.err;
  }
  const std::string base = document("base.json", bench::cold_in({100, 101, 99}));
  const std::string now = document("now.json", bench::cold_in({100, 100.5, 99.5}));
  const ProgramRun strict = run({"report", "--strict", base, "--", now, empty});
  EXPECT_EQ(strict.exit_code, 5);
  EXPECT_TRUE(contains(strict.out, "what was measured now is incomplete: a document has no rows"));
}

TEST_F(Report, EndsWithTheCodeOfItsRowsWhereItShowsACrossover) {
  bench::BenchResult part = bench::some_sweep();
  for (bench::BenchRow& row : part.rows)
    if (row.kind != bench::BenchKind::cpu) row.times[bench::BenchTime::launch] = bench::some_timing(1e-5);
  EXPECT_EQ(run({"report", document("whole.json", part), "--crossover"}).exit_code, 0);
  part.stopped_by = "it was interrupted";
  EXPECT_EQ(run({"report", document("part.json", part), "--crossover"}).exit_code, 5);
}

TEST_F(Report, ComparesNothingWithABaseWithoutKernelsOfTheLessonAndSaysSo) {
  bench::BenchResult none = bench::on_gpu({});
  none.plan.absent_lessons["histogram"] = "--kernels base has no histogram.cu";
  const std::string base = document("none.json", none);
  const std::string now = document("now.json", bench::cold_in({100, 100.5, 99.5}));
  const ProgramRun ran = run({"report", base, now, "--strict"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "new: histogram")) << ran.out;
  EXPECT_FALSE(contains(ran.out, "fails by"));
  none.stopped_by = "it was interrupted";
  EXPECT_EQ(run({"report", document("part.json", none), now, "--strict"}).exit_code, 5);
  none.plan.absent_lessons = {{"matmul", "--kernels base has no matmul.cu"}};
  EXPECT_EQ(run({"report", document("other.json", none), now, "--strict"}).exit_code, 2);
}

TEST_F(Report, SaysLastThatABaseThatWasWrongIsComparedWithNothing) {
  bench::BenchRow row = bench::cold_row(bench::some_case(), 100);
  const std::string now = document("now.json", bench::on_gpu({row}));
  row.valid = false;
  row.observed = Outcome::fails_to_compile;
  row.explanation = "it does not compile";
  const std::string base = document("base.json", bench::on_gpu({row}));
  const ProgramRun ran = run({"report", base, now, "--strict"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(
      ran.out.ends_with("\nnothing was compared: in 1 of its rows the base does not compile or is wrong\n"))
      << ran.out;
}

TEST_F(Report, SaysOnceWhatTheSimulatorDoesNotCount) {
  bench::BenchRow row = bench::right_row(bench::some_case());
  row.counts = {{"global_load_sectors", 8}};
  bench::BenchResult counted = bench::on_gpu({row});
  counted.device.kind = "simulator";
  const std::string base = document("base.json", counted);
  counted.facts.started_utc = "2026-12-01T00:00:00Z";
  const std::string now = document("now.json", counted),
                    sentence = "barriers and local memory are not counted";
  for (const char* format : {"text", "md"})
    EXPECT_TRUE(contains(run({"report", base, now, "--format", format}).out, sentence)) << format;
  EXPECT_FALSE(contains(run({"report", base, now, "--quiet"}).out, sentence));
  EXPECT_FALSE(contains(run({"report", base, now, "--format", "json"}).out, sentence));
}

TEST_F(Report, SaysWhereTheBaseWasMeasuredLater) {
  bench::BenchResult later = bench::cold_in({100, 101, 99});
  later.facts.started_utc = "2026-12-01T00:00:00Z";
  const std::string now = document("now.json", bench::cold_in({100, 100.5, 99.5}));
  const ProgramRun swapped = run({"report", document("later.json", later), now});
  EXPECT_TRUE(contains(swapped.out, "measured earlier: are the sides swapped?")) << swapped.out;
  EXPECT_FALSE(contains(run({"report", now, in_folder("later.json")}).out, "swapped"));
}

TEST_F(Report, FailsByStrictRulesIfAnImprovementMayBeOfSwappedSides) {
  bench::BenchResult later = bench::cold_in({106, 105, 107});
  later.facts.started_utc = "2026-12-01T00:00:00Z";
  const std::string now = document("now.json", bench::cold_in({100, 100.5, 99.5}));
  const auto strict = [&] { return run({"report", document("later.json", later), now, "--strict"}); };
  EXPECT_EQ(strict().exit_code, 5);
  EXPECT_TRUE(contains(strict().out, "fails by --strict: what is compared as now was measured earlier"));
  EXPECT_TRUE(contains(strict().out, "add --allow sides"));
  const std::string of_later = in_folder("later.json");
  EXPECT_EQ(run({"report", of_later, now, "--strict", "--allow", "sides"}).exit_code, 0);
  later.facts.hostname = "another";
  EXPECT_EQ(strict().exit_code, 0) << "its clock may differ";
  later = bench::cold_in({100, 101, 99});
  later.facts.started_utc = "2026-12-01T00:00:00Z";
  EXPECT_EQ(strict().exit_code, 0) << "nothing improved";
}

TEST_F(Report, ReplacesAComparisonButNoSourceCodeAndNoDocumentOfBench) {
  const std::string base = document("base.json", bench::cold_in({100, 101, 99}));
  const std::string now = document("now.json", bench::cold_in({100, 100.5, 99.5}));
  const std::string keep = document("keep.json", bench::cold_in({90, 91, 89}));
  const std::string kept = content("keep.json");
  const ProgramRun refused = run({"report", base, now, "-o", keep});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "keep.json has a document \"gpulab.bench\", which would be replaced"));
  EXPECT_EQ(content("keep.json"), kept);
  write("kernel.cu", "__global__ void f() {}\n");
  const ProgramRun source = run({"report", base, "-o", in_folder("kernel.cu")});
  EXPECT_EQ(source.exit_code, 2);
  EXPECT_TRUE(source.err.ends_with(
      "kernel.cu is source code, which would be replaced; name another file, or move it\n"))
      << source.err;
  write("new.cu", "");
  for (const char* file : {"Makefile", "Dockerfile", "run.sh", "build.py"}) {
    write(file, "all:\n");
    EXPECT_EQ(run({"report", base, "-o", in_folder(file)}).exit_code, 2) << file;
    EXPECT_EQ(content(file), "all:\n");
  }
  for (const char* file : {"new.cu", "both.json", "both.json", "page.html", "page.html"})
    EXPECT_EQ(run({"report", base, now, "-o", in_folder(file)}).exit_code, 0) << file;
}

TEST_F(Report, SaysWhatIsWrongInADocumentWhoseReportIsInAFile) {
  const std::string wrong =
      document("wrong.json", bench::on_gpu({bench::wrong_row(bench::some_case(), "3 bins lost updates")}));
  for (const char* file : {"wrong.html", "wrong.csv"}) {
    const ProgramRun ran = run({"report", wrong, "-o", in_folder(file)});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.err, "gpulab: histogram, shared: 3 bins lost updates\n");
    EXPECT_EQ(run({"report", wrong, "-o", in_folder(file), "--quiet"}).err, "");
  }
}

TEST_F(Report, AdvisesToAllowARemovedLessonOnce) {
  const auto row = [](const char* lesson, const char* variant) {
    return bench::cold_row({.lesson = lesson, .variant = variant, .size = 1024}, 100);
  };
  const std::string base =
      document("base.json", bench::on_gpu({row("matmul", "naive"), row("matmul", "tiled"),
                                           row("reduction", "a"), row("reduction", "b")}));
  const ProgramRun strict =
      run({"report", base, document("now.json", bench::on_gpu({row("matmul", "tiled")})), "--strict"});
  EXPECT_TRUE(
      contains(strict.out, "on purpose, add --allow matmul/naive:missing --allow\n  reduction:missing\n"))
      << strict.out;
  EXPECT_FALSE(contains(strict.out, "now / before")) << "there is no ratio";
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
  EXPECT_EQ(run({"report", file, "-o", in_folder("new.junit")}).exit_code, 0);
  EXPECT_TRUE(content("new.junit").starts_with("<?xml")) << content("new.junit").substr(0, 80);
  EXPECT_EQ(run({"report", file, "-o", in_folder("new.bmf")}).exit_code, 0);
  EXPECT_TRUE(content("new.bmf").starts_with("{")) << content("new.bmf").substr(0, 80);
  for (const char* as_text : {"new.odt", "new"})
    EXPECT_EQ(run({"report", file, "-o", in_folder(as_text)}).exit_code, 0) << "as text";
}

TEST_F(Report, WritesTheChosenRowsOfOneDocumentAsJson) {
  const bench::BenchCase chosen = {.lesson = "shared-histogram", .variant = "shared", .size = 1024};
  write("one.json", bench::bench_json(bench::on_gpu(
                        {bench::cold_row(chosen, 100),
                         bench::cold_row({.lesson = "matmul", .variant = "tiled", .size = 1024}, 100)})));
  EXPECT_EQ(run({"report", "one.json", "--lesson", "histogram", "-o", "chosen.json"}).exit_code, 0);
  EXPECT_EQ(run({"report", "chosen.json"}).exit_code, 0);
  EXPECT_TRUE(contains(read(folder / "chosen.json"), "\"schema\": \"gpulab.bench\""));
  EXPECT_FALSE(contains(read(folder / "chosen.json"), "matmul"));
}

TEST_F(Report, KeepsRemarksAndClaimsOfTheChosenLessonsAlone) {
  bench::BenchResult result = bench::cold_in({100}, {.lesson = "matmul", .variant = "tiled", .size = 1024});
  result.rows.push_back(bench::cold_row({.lesson = "reduction", .variant = "shared", .size = 1024}, 100));
  result.remarks = {"of all", "of matmul", "of reduction"};
  result.lesson_remarks = {{"matmul", {"of matmul"}}, {"reduction", {"of reduction"}}};
  result.claims = {{"reduction", 1024, {.claim = {.better = "shared", .worse = "naive"}}}};
  const std::string file = document("two.json", result);
  const std::string chosen = run({"report", file, "--lesson", "matmul", "--format", "json"}).out;
  for (const char* kept : {"of all", "of matmul"}) EXPECT_TRUE(contains(chosen, kept)) << chosen;
  EXPECT_FALSE(contains(chosen, "reduction\"")) << chosen;
  const ProgramRun both = run({"report", file, "--lesson", "matmul", "--lesson", "histogram"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_TRUE(contains(both.err, "two.json has no rows of shared-histogram")) << both.err;
}

TEST_F(Report, SaysOnThePageThatAMissingFigureFailsByStrictRules) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  bench::BenchResult base = bench::cold_in({100, 101, 99});
  base.rows.push_back(bench::cold_row(bench::some_case("gone"), 100));
  const ProgramRun ran =
      run({"report", document("base.json", base), document("new.json", bench::cold_in({100, 100.5, 99.5})),
           "--strict", "-o", in_folder("both.html")});
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_TRUE(contains(content("both.html"),
                       "<strong>Fails by <span class=\"word\">--strict</span>:</strong> 1 missing"));
  const ProgramRun github =
      run({"report", in_folder("base.json"), in_folder("new.json"), "--strict", "--format", "github"});
  EXPECT_TRUE(contains(github.out, "fails by --strict::1 missing; if what is missing was removed on purpose"))
      << github.out;
}

TEST_F(Report, ComparesTheFirstDocumentWithTheOthersOnAPage) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  bench::BenchResult now = bench::some_sweep();
  for (bench::BenchRow& row : now.rows)
    for (auto& [time, timing] : row.times) timing = bench::some_timing(2 * timing.median_s);
  const ProgramRun ran = run({"report", document("base.json", bench::some_sweep()), document("new.json", now),
                              "-o", in_folder("both.html")});
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_TRUE(contains(content("both.html"), "<strong>Compared:</strong> 4 regressed"));
}

TEST_F(Report, ComparesTwoSidesOnAPage) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  bench::BenchResult now = bench::some_sweep();
  for (bench::BenchRow& row : now.rows)
    for (auto& [time, timing] : row.times) timing = bench::some_timing(2 * timing.median_s);
  bench::BenchResult later = bench::some_sweep();
  later.facts.started_utc = "2026-01-02T03:04:05Z";
  const std::string base = document("base.json", bench::some_sweep()), slow = document("new.json", now);
  const ProgramRun ran =
      run({"report", "-o", in_folder("both.html"), base, document("later.json", later), "--", slow});
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_TRUE(contains(content("both.html"), "2 processes before, 1 now"));
  EXPECT_TRUE(contains(ran.err, "regressed")) << "the last line of the text";
  EXPECT_EQ(run({"report", base, "--", slow, "-o", in_folder("other.html")}).exit_code, 2);
}

TEST_F(Report, ShowsDocumentsThatCannotBeComparedAndSaysWhy) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  bench::BenchResult other = bench::some_sweep();
  other.device.name = "Other GPU";
  const ProgramRun ran =
      run({"report", document("a.json", bench::some_sweep()), document("b.json", other), "--format", "html"});
  EXPECT_EQ(ran.exit_code, 2) << "as the text ends";
  EXPECT_TRUE(contains(ran.err, "the GPUs differ")) << ran.err;
  EXPECT_TRUE(contains(ran.out, "<strong>Not compared:</strong>"));
}

TEST_F(Report, EndsAsTheTextDoesForEachPage) {
  if (!bench::page::has_chart_library()) GTEST_SKIP() << "built without Chart.js";
  const std::string base = document("base.json", bench::cold_in({100, 101, 99}));
  bench::BenchResult part = bench::cold_in({100, 101, 99});
  part.stopped_by = "SIGTERM";
  const std::vector<std::pair<bench::BenchResult, int>> codes = {
      {bench::cold_in({100, 100.5, 99.5}), 0},
      {bench::cold_in({106, 105, 107}), 5},
      {part, 5},
      {bench::on_gpu({bench::wrong_row(bench::some_case(), "3 bins")}), 1},
      {bench::on_gpu({}), 2},
      {bench::on_simulator({{"global_load_sectors", 1}}), 2},
      {bench::cold_in({100}, bench::some_case("shared", 4096)), 2}};
  for (const auto& [now, code] : codes) {
    const std::string file = document("now.json", now);
    EXPECT_EQ(run({"report", base, file, "--strict"}).exit_code, code);
    EXPECT_EQ(run({"report", base, file, "--strict", "-o", in_folder("now.html")}).exit_code, code);
    EXPECT_TRUE(contains(content("now.html"), "</html>"));
    EXPECT_EQ(
        contains(content("now.html"), "<li class=\"wrong\"><strong>Fails by <span class=\"word\">--strict"),
        !now.complete());
    std::filesystem::remove(folder / "now.html");
  }
}

TEST_F(Report, PlotsBothSidesAndComparesThem) {
  const std::string base = document("base.json", bench::cold_in({100, 101, 99}));
  const std::string slow = document("slow.json", bench::cold_in({106, 105, 107}));
  const ProgramRun ran = run({"report", base, slow, "--plot", "--strict"});
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_TRUE(contains(ran.out, "before: " + base)) << ran.out;
  EXPECT_TRUE(contains(ran.out, "now: " + slow));
  EXPECT_TRUE(contains(ran.out, "1 regressed"));
}

TEST_F(Report, DrawsAPlotInTheTerminal) {
  const std::string file = document("new.json", bench::some_sweep());
  const ProgramRun ran = run({"report", file, "--plot"}, {{"COLUMNS", "80"}});
  EXPECT_TRUE(contains(ran.out, "a reference   b fast   c naive"));
  EXPECT_EQ(run({"report", file, "--plot", "--format", "csv"}).exit_code, 2);
}

TEST_F(Report, RefusesWhatIsNoDocument) {
  std::ofstream(folder / "other.json") << "{}";
  const ProgramRun ran = run({"report", in_folder("other.json")});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(contains(ran.err, "is not a document of gpulab bench"));
  EXPECT_EQ(run({"report"}).exit_code, 2);
}

}  // namespace
}  // namespace gpulab::cli
