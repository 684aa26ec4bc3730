#include "check/check_formats.hpp"

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
                             .instead = "cudaFree(x)",
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

TEST(ProgramText, HasNothingToSayOfAProgramThatNobodyWatchedAndThatEndedWell) {
  ProgramResult result = leaking();
  result.watch = ProgramWatch::nothing;
  EXPECT_EQ(program_text(result, {}), "");
  result.status = 1;
  EXPECT_TRUE(contains(program_text(result, {}), "never freed"));
}

TEST(ProgramText, SaysWhenAProgramEndedBeforeItCouldBeLookedAt) {
  ProgramResult result{.file = "sum.cu", .status = 139, .signal = 11};
  EXPECT_TRUE(contains(program_text(result, {}), "sum.cu was ended by signal 11"));
  result.signal = 31;
  EXPECT_TRUE(contains(program_text(result, {}), "ended by the sandbox"));
  result.signal = 0;
  EXPECT_TRUE(contains(program_text(result, {}), "_exit()"));
}

TEST(ProgramText, ObeysNoOrdersOfTheProgramsText) {
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

TEST(ProgramResult, EndsWithOneIfItHasADefectAndElseWithTheProgramsOwnCode) {
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

TEST(ProgramChecks, AreOneForEachFileAndKeepNotesApart) {
  ProgramResult result = leaking();
  result.report.findings.push_back(
      {.pattern = "race-global", .place = {"sum.cuh", 9, "x[0]++;"}, .text = "a race"});
  const std::vector<CheckResult> checks = as_checks(result);
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].pattern, "memory-leak");
  EXPECT_EQ(checks[0].notes, (std::vector<std::string>{"line 2: a stream is left"}));
  EXPECT_EQ(checks[1].file, "sum.cuh");
  EXPECT_TRUE(contains(check_gcc(checks), "sum.cuh:9:1: error: a race [race-global]"));
  EXPECT_TRUE(contains(program_junit(result), "classname=\"gpulab.run\" name=\"sum.cu\""));
  EXPECT_TRUE(contains(check_github(checks), "title=memory-leak"));
}

TEST(ProgramChecks, FailInJunitIfTheProgramEndsWithoutADefectButBadly) {
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
