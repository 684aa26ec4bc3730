#include "cli/lesson_reports.hpp"

#include "bench/bench_fixtures.hpp"
#include "bench/bench_formats.hpp"
#include "program_fixture.hpp"
#include "run/lesson_fixtures.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class LessonReport : public ProgramTest {
 protected:
  std::vector<std::string> lesson_with(const std::vector<std::string>& options) const {
    std::vector<std::string> words = simulated({"first-kernel", "--variant", "global-index"});
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }
  nlohmann::json json_in(const std::string& file) const {
    return nlohmann::json::parse(read(folder / file), nullptr, /*allow_exceptions=*/false);
  }
};

TEST_F(LessonReport, OfSeveralSizesIsOneReportAfterAnother) {
  const ProgramRun ended = run(lesson_with({"--size", "100,2^8..2^10:x4"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::size_t first = ended.out.find("first-kernel · 100 float32");
  const std::size_t second = ended.out.find("\n\nfirst-kernel · 256 float32");
  const std::size_t third = ended.out.find("\n\nfirst-kernel · 1 024 float32");
  EXPECT_EQ(first, 0u) << ended.out;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_NE(third, std::string::npos);
}

TEST_F(LessonReport, OfSeveralSizesIsAnArrayInJson) {
  const ProgramRun ended = run(lesson_with({"--size", "100,200", "--format", "json"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto documents = nlohmann::json::parse(ended.out);
  ASSERT_TRUE(documents.is_array());
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0]["lesson"]["size"], 100);
  EXPECT_EQ(documents[1]["lesson"]["size"], 200);
  EXPECT_EQ(documents[1]["schema"], "gpulab.run");
}

TEST_F(LessonReport, OfOneSizeIsOneDocumentHoweverItIsNamed) {
  for (const char* size : {"100", "100,100", "100..150:x2"}) {
    const ProgramRun ended = run(lesson_with({"--size", size, "--format", "json"}));
    EXPECT_EQ(nlohmann::json::parse(ended.out)["lesson"]["size"], 100) << size;
  }
}

TEST_F(LessonReport, IsOneTableInCsv) {
  const ProgramRun ended = run(lesson_with({"--size", "100,200", "--format", "csv"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("lesson,size,seed,kind,")) << ended.out;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1 + 2 * 3) << "two references, one variant";
  EXPECT_TRUE(contains(ended.out, "\nfirst-kernel,200,42,variant,global-index,"));
}

TEST_F(LessonReport, IsNotBegunWhenOneOfItsSizesMakesNoSense) {
  for (const char* sizes : {"100,2^40", "100,,200", "200..100:x2", "1..2000:+1"})
    expect_refusal({"first-kernel", "--device", "simulator", "--size", sizes}, 2, "");
}

TEST_F(LessonReport, EndsWithTheMostSevereCodeOfItsSizes) {
  write("first_kernel.cu",
        "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
        "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (item < size && item < 150) C[item] = A[item] + B[item];\n}\n");
  const ProgramRun ended = run(lesson_with({"--kernels", ".", "--size", "100,200,150", "--format", "json"}));
  EXPECT_EQ(ended.exit_code, 1);
  const auto documents = nlohmann::json::parse(ended.out);
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_EQ(documents[1]["variants"][0]["observed"], "wrong");
  EXPECT_EQ(documents[2]["variants"][0]["observed"], "right");
}

TEST_F(LessonReport, GoesToTheFileInItsFormatAndToStdoutAsText) {
  const ProgramRun ended = run(lesson_with({"--format", "json", "--output", "result"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("first-kernel · 2 048 float32")) << ended.out;
  EXPECT_EQ(json_in("result")["exit_code"], 0);
  EXPECT_TRUE(contains(ended.err, "wrote result\n"));
}

TEST_F(LessonReport, GoesToTheFileAloneIfItIsQuiet) {
  const ProgramRun ended = run(lesson_with({"--output", "result.json", "--quiet"}));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(json_in("result.json")["exit_code"], 0);
}

TEST_F(LessonReport, NamesWhatIsWrongIfItGoesToTheFileAlone) {
  run({"show", "first-kernel", "--to", "mine"});
  std::string kernel = read(folder / "mine/first_kernel.cu");
  for (std::size_t at = 0; (at = kernel.find("A[item] + ", at)) != kernel.npos;)
    kernel.replace(at, 10, "A[item] - ");
  write("mine/first_kernel.cu", kernel);
  const ProgramRun ended = run(lesson_with({"--kernels", "mine", "--output", "result.json", "--quiet"}));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(ended.err.starts_with("gpulab: first-kernel, variant ")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "expected")) << ended.err;
}

TEST_F(LessonReport, GoesToStdoutIfItIsQuietWithoutAFile) {
  EXPECT_TRUE(run(lesson_with({"--quiet"})).out.starts_with("first-kernel · "));
}

TEST_F(LessonReport, IsWrittenAsTheEndingOfTheFileSays) {
  for (const char* file : {"a.json", "a.csv", "a.txt", "a"})
    EXPECT_EQ(run(lesson_with({"--output", file, "--quiet"})).exit_code, 0);
  EXPECT_EQ(json_in("a.json")["schema"], "gpulab.run");
  EXPECT_TRUE(read(folder / "a.csv").starts_with("lesson,size,"));
  EXPECT_TRUE(read(folder / "a.txt").starts_with("first-kernel · "));
  EXPECT_TRUE(read(folder / "a").starts_with("first-kernel · "));
}

TEST_F(LessonReport, IsWrittenAsTheFormatSaysWhateverTheEnding) {
  run(lesson_with({"--output", "a.json", "--format", "csv", "--quiet"}));
  EXPECT_TRUE(read(folder / "a.json").starts_with("lesson,size,"));
  run(lesson_with({"--output", "b.json", "--format", "text", "--quiet"}));
  EXPECT_TRUE(read(folder / "b.json").starts_with("first-kernel · "));
}

TEST_F(LessonReport, OfSeveralSizesIsWholeInTheFile) {
  const ProgramRun ended = run(lesson_with({"--size", "100,200", "--output", "all.json"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(json_in("all.json").size(), 2u);
  EXPECT_TRUE(contains(ended.out, "\n\nfirst-kernel · 200 float32"));
  run(lesson_with({"--size", "100,200", "--output", "all.txt"}));
  EXPECT_TRUE(contains(read(folder / "all.txt"), "\n\nfirst-kernel · 200 float32"));
}

TEST_F(LessonReport, IsNotMixedWithTextWhereTheFileIsStdout) {
  const ProgramRun ended = run(lesson_with({"--format", "json", "--output", "/dev/stdout"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["exit_code"], 0);
}

TEST_F(LessonReport, SaysInJsonThatTheSimulatorTookThePlaceOfAGpu) {
  for (const char* quiet : {"", "--quiet"}) {
    std::vector<std::string> words = {"first-kernel", "--time-budget", "1e-9", "--format", "json"};
    if (*quiet) words.emplace_back(quiet);
    const auto device = nlohmann::json::parse(run(words).out)["device"];
    EXPECT_TRUE(std::string(device["fallback"]).starts_with("no GPU can be used (")) << device;
    words.insert(words.end(), {"--device", "simulator"});
    EXPECT_TRUE(nlohmann::json::parse(run(words).out)["device"]["fallback"].is_null()) << "it was asked for";
  }
}

TEST(FormatOfALesson, IsTextWithoutAFile) {
  EXPECT_EQ(format_of({}), "text");
  LessonOptions options;
  options.format = "csv";
  EXPECT_EQ(format_of(options), "csv");
}

class ReportFormats : public ProgramTest {
 protected:
  ReportFormats() { write("bench.json", bench::bench_json(bench::cold_in({100, 101, 99}))); }
};

const std::map<std::string, std::string> begins_of_formats = {
    {"csv", "id,lesson,variant,kind,size,seed,"},
    {"md", "**Some GPU**, host, gpulab 1.0.0"},
    {"junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"},
    {"bmf", "{\n  \"histogram shared size=1024 distribution=uniform seed=42\": {\n    \"latency\""},
    {"gha", "[\n  {\n    \"name\""},
    {"gbench", "{\n  \"context\""}};

TEST_F(ReportFormats, AreWrittenByTheirNames) {
  for (const auto& [format, begin] : begins_of_formats) {
    const ProgramRun written = run({"report", "bench.json", "--format", format});
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_TRUE(written.out.starts_with(begin)) << written.out.substr(0, 200);
  }
}

TEST_F(ReportFormats, AreToldByTheEndingOfTheOutput) {
  for (const auto& [file, format] :
       std::map<std::string, std::string>{{"r.csv", "csv"}, {"r.md", "md"}, {"r.xml", "junit"}}) {
    EXPECT_EQ(run({"report", "bench.json", "-o", file}).exit_code, 0);
    EXPECT_TRUE(read(folder / file).starts_with(begins_of_formats.at(format))) << file;
  }
}

TEST_F(ReportFormats, RefuseADocumentWithNothingForThem) {
  write("wrong.json",
        bench::bench_json(bench::on_gpu({bench::wrong_row(bench::some_case(), "lost updates")})));
  expect_refusal({"report", "wrong.json", "--format", "gha"}, 2,
                 "there is nothing to write: no right result");
}

LessonResult with_claim(ClaimVerdict verdict, LessonResult result = fixtures::measured_lesson()) {
  result.claims.at(0).verdict = verdict;
  return result;
}

TEST(StrictClaims, EndWithFiveWhereAClaimDoesNotHold) {
  EXPECT_EQ(strict_exit_code_of(with_claim(ClaimVerdict::does_not_hold)), ExitCode::regression);
  EXPECT_EQ(static_cast<int>(ExitCode::regression), 5);
}

TEST(StrictClaims, TakeNothingElseForAFailure) {
  for (const ClaimVerdict verdict : {ClaimVerdict::holds, ClaimVerdict::inconclusive, ClaimVerdict::needs_gpu,
                                     ClaimVerdict::needs_simulator, ClaimVerdict::not_measured}) {
    EXPECT_EQ(strict_exit_code_of(with_claim(verdict)), ExitCode::ok);
    const bool was_tested = verdict == ClaimVerdict::holds || verdict == ClaimVerdict::inconclusive;
    EXPECT_EQ(broken_claims_text(with_claim(verdict)),
              was_tested ? "" : "gpulab: --strict-claims has tested no claim here\n");
  }
}

TEST(StrictClaims, GiveWayToAResultThatIsNotRight) {
  EXPECT_EQ(strict_exit_code_of(with_claim(ClaimVerdict::does_not_hold, fixtures::failing_lesson())),
            ExitCode::compilation);
}

TEST(StrictClaims, NameTheClaimAndWhatWasMeasured) {
  LessonResult result = with_claim(ClaimVerdict::does_not_hold);
  result.claims[0].ratio = 1.25;
  EXPECT_EQ(broken_claims_text(result),
            "gpulab: shared-histogram, size 33 554 432: does not hold: shared is at least 2x as fast as "
            "global-atomic (1.2x)\n");
}

class StrictClaimsOfALesson : public ProgramTest {
 protected:
  // Writes a kernel for a structure of arrays with the stride of one for an array of structures.
  std::vector<std::string> lesson_with_broken_claim() const {
    write("coalescing.cu",
          "__global__ void scale_array_of_structs(const float4* points, float* output, int size) {\n"
          "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (item < size) output[item] = 2 * points[item].x;\n"
          "}\n"
          "__global__ void scale_struct_of_arrays(const float* x, float* output, int size) {\n"
          "  const int thread = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  const int items_per_lane = (size + 31) / 32;\n"
          "  const int item = thread % 32 * items_per_lane + thread / 32;\n"
          "  if (thread < 32 * items_per_lane && item < size) output[item] = 2 * x[item];\n"
          "}\n");
    return simulated({"coalescing", "--size", "65536", "--kernels", ".", "--variant", "array-of-structs",
                      "--variant", "struct-of-arrays", "--quiet"});
  }
};

TEST_F(StrictClaimsOfALesson, EndItWithCodeFiveAfterTheReport) {
  std::vector<std::string> words = lesson_with_broken_claim();
  words.emplace_back("--strict-claims");
  const ProgramRun ended = run(words);
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_TRUE(contains(ended.out, "does not hold: struct-of-arrays has at least 4x fewer sectors per load"));
  EXPECT_TRUE(ended.err.starts_with("gpulab: coalescing, size 65 536: does not hold: struct-of-arrays has "))
      << ended.err;
}

TEST_F(StrictClaimsOfALesson, AreNeededForItToFail) {
  const ProgramRun ended = run(lesson_with_broken_claim());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "does not hold: "));
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace gpulab::cli
