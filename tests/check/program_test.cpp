#include "check/check_formats.hpp"

#include "base/text.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

ProgramResult leaking() {
  ProgramResult result{.file = "sum.cu", .source = "a\nb\nc\n", .has_report = true};
  result.report.findings = {{.pattern = "stream-leak",
                             .is_note = true,
                             .place = {"", 2, "cudaStreamCreate(&s);"},
                             .text = "a stream is left"},
                            {.pattern = "memory-leak",
                             .place = {"", 3, "cudaMalloc(&x, 400);"},
                             .text = "400 bytes are never freed",
                             .correction = "cudaFree(x)",
                             .others = {{{"sum.cuh", 7, "x = y;"}, "the pointer is lost here"}},
                             .count = 2}};
  result.report.launches = 1;
  result.report.calls = 3;
  return result;
}

TEST(ProgramText, TellsDefectsFirstWithTheirLinesAndWhatToWrite) {
  EXPECT_EQ(program_text(leaking(), {}),
            "DEFECT  memory-leak, 2 times\n400 bytes are never freed\n  sum.cu:3: cudaMalloc(&x, 400);\n"
            "  sum.cuh:7: x = y;\n    the pointer is lost here\nwrite: cudaFree(x)\n\n"
            "note  stream-leak\na stream is left\n  sum.cu:2: cudaStreamCreate(&s);\n\n"
            "sum.cu: 1 defect found in 1 launch and 3 calls of the runtime API\n");
}

TEST(ProgramText, IsEmptyForAnUnwatchedProgramThatSucceeds) {
  ProgramResult result = leaking();
  result.watch = ProgramWatch::nothing;
  EXPECT_EQ(program_text(result, {}), "");
  result.status = 1;
  EXPECT_TRUE(contains(program_text(result, {}), "never freed"));
}

TEST(ProgramText, SaysHowAProgramEndedThatSentNoReport) {
  ProgramResult result{.file = "sum.cu", .status = 139, .signal = 11};
  EXPECT_TRUE(contains(program_text(result, {}), "sum.cu was ended by signal 11"));
  result.signal = 31;
  EXPECT_TRUE(contains(program_text(result, {}), "ended by the sandbox"));
  result.signal = 0;
  EXPECT_TRUE(contains(program_text(result, {}), "_exit()"));
}

TEST(ProgramText, ShowsALongLineToItsEnd) {
  ProgramResult result = leaking();
  result.report.findings[1].place.source =
      "if (threadIdx.x < blockDim.x / 2 && blockIdx.x * blockDim.x + threadIdx.x < size) sum += tile[threadIdx.x + 1];";
  const std::string text = program_text(result, {.width = 80});
  EXPECT_TRUE(contains(text, "  sum.cu:3: if (threadIdx.x < blockDim.x / 2 "));
  EXPECT_TRUE(contains(text, "tile[threadIdx.x + 1];\n"));
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80u) << line;
}

TEST(ProgramText, SendsNoEscapeSequenceToTheTerminal) {
  ProgramResult result = leaking();
  result.file = "\x1b[2Jsum.cu";
  result.report.findings[1].place.source = "\x1b]0;title\x07";
  EXPECT_EQ(program_text(result, {}).find('\x1b'), std::string::npos);
}

TEST(ProgramText, ShowsWhatEachKernelAsksOfMemory) {
  ProgramResult result{
      .file = "sum.cu", .source = "one\ntwo\n", .has_report = true, .watch = ProgramWatch::accesses};
  const LineAccesses store{.line = 2,
                           .kind = AccessKind::global_store,
                           .sums = {.requests = 4, .active_lanes = 128, .sectors = 128, .bytes = 512},
                           .pattern = {.min_sectors = 16}};
  result.report.counts = {{"scatter", 2, {{store}}}};
  const std::string text = program_text(result, {});
  EXPECT_TRUE(contains(text, "scatter · 2 launches\n"));
  EXPECT_TRUE(contains(text, "global store"));
  EXPECT_TRUE(contains(text, "touches 32 sectors where 4 would be enough"));
}

TEST(ProgramResult, HasExitCodeOneForADefectAndElseThatOfTheProgram) {
  ProgramResult result = leaking();
  EXPECT_EQ(result.exit_code(), 1);
  result.report.findings.pop_back();
  result.status = 7;
  EXPECT_EQ(result.exit_code(), 7) << "a note fails nothing";
  ProgramResult plain = leaking();
  plain.watch = ProgramWatch::nothing;
  EXPECT_EQ(plain.exit_code(), 0);
}

TEST(ProgramJson, HasTheFindingsWithTheirPlaces) {
  const auto document = nlohmann::json::parse(program_json(leaking()));
  EXPECT_EQ(document["exit_code"], 1);
  EXPECT_EQ(document["findings"][0]["kind"], "note");
  const auto& leak = document["findings"][1];
  EXPECT_EQ(leak["line"], 3);
  EXPECT_EQ(leak["file"], "sum.cu");
  EXPECT_EQ(leak["count"], 2);
  EXPECT_EQ(leak["related"][0]["file"], "sum.cuh");
}

TEST(ProgramChecks, GiveNotesPlacesOfTheirOwn) {
  ProgramResult result = leaking();
  result.report.findings[0].place.callers = {{"", 9, "streams();"}};
  const std::vector<CheckResult> checks = as_checks(result);
  EXPECT_EQ(check_gcc(checks),
            "sum.cu:3:1: error: 400 bytes are never freed; write cudaFree(x) [memory-leak]\n"
            "sum.cuh:7:1: note: the pointer is lost here\n"
            "sum.cu:2:1: note: a stream is left [stream-leak]\n"
            "sum.cu:9:1: note: called from here\n");
  EXPECT_EQ(
      check_github(checks),
      "::error file=sum.cu,line=3,col=1,title=memory-leak::400 bytes are never freed; write "
      "cudaFree(x)%0Aline 7 of sum.cuh: the pointer is lost here\n"
      "::notice file=sum.cu,line=2,col=1,title=stream-leak::a stream is left%0Aline 9: called from here\n");
  const auto run = nlohmann::json::parse(check_sarif(checks, 1))["runs"][0];
  ASSERT_EQ(run["results"].size(), 2u);
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][1]["level"], "note");
  EXPECT_EQ(run["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
  EXPECT_EQ(run["tool"]["driver"]["rules"][1]["defaultConfiguration"]["level"], "note");
}

TEST(ProgramChecks, PassWithNotes) {
  ProgramResult result = leaking();
  result.report.findings.pop_back();
  const std::string note = "sum.cu:2:1: note: a stream is left [stream-leak]\n";
  EXPECT_EQ(check_gcc(as_checks(result)), note);
  const std::string junit = program_junit(result);
  EXPECT_TRUE(contains(junit, "failures=\"0\""));
  EXPECT_TRUE(contains(junit, "<system-out>" + note.substr(0, note.size() - 1)));
}

TEST(ProgramChecks, AnnotateEachDefectInGithub) {
  ProgramResult result = leaking();
  result.report.findings.push_back({.pattern = "race-global", .place = {"", 9, "x[0]++;"}, .text = "a race"});
  const std::string text = check_github(as_checks(result));
  EXPECT_EQ(std::ranges::count(text, '\n'), 3) << text;
  EXPECT_TRUE(contains(text, "::error file=sum.cu,line=9,col=1,title=race-global::a race\n"));
}

TEST(ProgramChecks, ListEachDefectInJunit) {
  ProgramResult result = leaking();
  result.report.findings.push_back({.pattern = "race-global", .place = {"", 9, "x[0]++;"}, .text = "a race"});
  const std::string junit = program_junit(result);
  for (const char* line :
       {"sum.cu:3:1: error: 400 bytes are never freed", "sum.cuh:7:1: note: the pointer is lost here",
        "sum.cu:9:1: error: a race [race-global]"})
    EXPECT_TRUE(contains(junit, line)) << line;
  EXPECT_TRUE(contains(junit, "failures=\"1\""));
}

TEST(ProgramChecks, AreOneForEachFile) {
  ProgramResult result = leaking();
  result.report.findings.push_back(
      {.pattern = "race-global", .place = {"sum.cuh", 9, "x[0]++;"}, .text = "a race"});
  const std::vector<CheckResult> checks = as_checks(result);
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].pattern, "memory-leak");
  EXPECT_EQ(checks[1].file, "sum.cuh");
  EXPECT_TRUE(contains(check_gcc(checks), "sum.cuh:9:1: error: a race [race-global]"));
  EXPECT_TRUE(contains(program_junit(result), "classname=\"gpulab.run\" name=\"sum.cu\""));
  EXPECT_TRUE(contains(check_github(checks), "title=memory-leak"));
}

TEST(ProgramChecks, FailInJunitIfTheProgramFailsWithoutADefect) {
  ProgramResult result{.file = "sum.cu"};
  EXPECT_TRUE(contains(program_junit(result), "failures=\"0\""));
  result.status = 7;
  EXPECT_TRUE(contains(program_junit(result), "message=\"the program ended with exit code 7\""));
  result.status = 143;
  result.signal = 15;
  EXPECT_TRUE(contains(program_junit(result), "message=\"the program was ended by signal 15\""));
}

}  // namespace
}  // namespace gpulab::check
