#include "cli/lesson_reports.hpp"

#include <nlohmann/json.hpp>

#include "program_fixture.hpp"
#include "text_contains.hpp"

namespace gpulab::cli {
namespace {

class LessonReport : public ProgramTest {
 protected:
  std::vector<std::string> quick(const std::vector<std::string>& further) const {
    std::vector<std::string> words = simulated({"first-kernel", "--variant", "global-index"});
    words.insert(words.end(), further.begin(), further.end());
    return words;
  }
  nlohmann::json json_in(const std::string& file) const {
    return nlohmann::json::parse(read(folder / file), nullptr, /*allow_exceptions=*/false);
  }
};

TEST_F(LessonReport, OfSeveralSizesIsOneReportAfterAnother) {
  const ProgramRun ended = run(quick({"--size", "100,2^8..2^10:x4"}));
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
  const ProgramRun ended = run(quick({"--size", "100,200", "--format", "json"}));
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
    const ProgramRun ended = run(quick({"--size", size, "--format", "json"}));
    EXPECT_EQ(nlohmann::json::parse(ended.out)["lesson"]["size"], 100) << size;
  }
}

TEST_F(LessonReport, IsOneTableInCsv) {
  const ProgramRun ended = run(quick({"--size", "100,200", "--format", "csv"}));
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
        "  if (item < 150) C[item] = A[item] + B[item];\n}\n");
  const ProgramRun ended = run(quick({"--kernels", ".", "--size", "100,200,150", "--format", "json"}));
  EXPECT_EQ(ended.exit_code, 1);
  const auto documents = nlohmann::json::parse(ended.out);
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_EQ(documents[1]["variants"][0]["observed"], "wrong");
  EXPECT_EQ(documents[2]["variants"][0]["observed"], "right");
}

TEST_F(LessonReport, ShowsOneSizeOnlyInATimeline) {
  expect_refusal({"streams", "--size", "100,200", "--trace", "trace.json"}, 2,
                 "--trace writes what one size shows; give --size one value");
  expect_refusal({"streams", "--output", "same.json", "--trace", "./same.json"}, 2,
                 "--output and --trace name the same file");
}

TEST_F(LessonReport, GoesToTheFileInItsFormatAndToStdoutAsText) {
  const ProgramRun ended = run(quick({"--format", "json", "--output", "result"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("first-kernel · 2 048 float32")) << ended.out;
  EXPECT_EQ(json_in("result")["exit_code"], 0);
  EXPECT_TRUE(contains(ended.err, "wrote result\n"));
}

TEST_F(LessonReport, GoesToTheFileAloneIfItIsToBeQuiet) {
  const ProgramRun ended = run(quick({"--output", "result.json", "--quiet"}));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(json_in("result.json")["exit_code"], 0);
}

TEST_F(LessonReport, GoesToStdoutAllTheSameIfItIsToBeQuietWithoutAFile) {
  EXPECT_TRUE(run(quick({"--quiet"})).out.starts_with("first-kernel · "));
}

TEST_F(LessonReport, IsWrittenAsTheEndingOfTheFileSays) {
  for (const char* file : {"a.json", "a.csv", "a.txt", "a"})
    EXPECT_EQ(run(quick({"--output", file, "--quiet"})).exit_code, 0);
  EXPECT_EQ(json_in("a.json")["schema"], "gpulab.run");
  EXPECT_TRUE(read(folder / "a.csv").starts_with("lesson,size,"));
  EXPECT_TRUE(read(folder / "a.txt").starts_with("first-kernel · "));
  EXPECT_TRUE(read(folder / "a").starts_with("first-kernel · "));
}

TEST_F(LessonReport, IsWrittenAsTheFormatSaysWhateverTheEnding) {
  run(quick({"--output", "a.json", "--format", "csv", "--quiet"}));
  EXPECT_TRUE(read(folder / "a.json").starts_with("lesson,size,"));
  run(quick({"--output", "b.json", "--format", "text", "--quiet"}));
  EXPECT_TRUE(read(folder / "b.json").starts_with("first-kernel · "));
}

TEST_F(LessonReport, OfSeveralSizesIsWholeInTheFile) {
  const ProgramRun ended = run(quick({"--size", "100,200", "--output", "all.json"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(json_in("all.json").size(), 2u);
  EXPECT_TRUE(contains(ended.out, "\n\nfirst-kernel · 200 float32"));
  run(quick({"--size", "100,200", "--output", "all.txt"}));
  EXPECT_TRUE(contains(read(folder / "all.txt"), "\n\nfirst-kernel · 200 float32"));
}

TEST_F(LessonReport, IsNotMixedWithTextWhereTheFileIsStdout) {
  const ProgramRun ended = run(quick({"--format", "json", "--output", "/dev/stdout"}));
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
  LessonWords words;
  words.format = "csv";
  EXPECT_EQ(format_of(words), "csv");
}

}  // namespace
}  // namespace gpulab::cli
