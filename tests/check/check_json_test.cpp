#include "check/check_formats.hpp"

#include "check_fixtures.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

nlohmann::json document_of(const std::vector<CheckResult>& results) {
  return nlohmann::json::parse(check_json(results, exit_code_of(results)));
}

TEST(CheckJson, HasEverythingThatTheTextHas) {
  const auto document = document_of({fixtures::wrong_check()});
  EXPECT_EQ(document["schema"], "gpulab.check");
  EXPECT_EQ(document["exit_code"], 1);
  const auto& check = document["checks"][0];
  EXPECT_EQ(check["exercise"], "shared-histogram");
  EXPECT_EQ(check["verdict"], "wrong");
  EXPECT_EQ(check["passed"], false);
  EXPECT_EQ(check["pattern"], "race-shared");
  EXPECT_EQ(check["line"], 17);
  EXPECT_EQ(check["size"], 1000);
  EXPECT_EQ(check["first_differences"][0]["expected"], 4102);
  EXPECT_TRUE(check["first_differences"][1]["actual"].is_null()) << "not a number";
  EXPECT_EQ(check["first_differences"][1]["written"], true);
  EXPECT_EQ(check["seed"], 42);
  EXPECT_EQ(check["options"]["distribution"], "one-bin");
  EXPECT_EQ(
      check["reproduce"],
      "gpulab check shared_histogram.cu --device simulator --size 1000 --distribution one-bin --block-size "
      "256 --seed 42");
  EXPECT_EQ(check["check"], "gpulab check shared_histogram.cu");
  EXPECT_EQ(check["on_gpu"].size(), 0u);
  EXPECT_EQ(check["seconds"], 1.5);
}

TEST(CheckJson, HasNullForWhatIsNotKnown) {
  const auto document = document_of({fixtures::right_check()});
  const auto& check = document["checks"][0];
  EXPECT_EQ(check["verdict"], "passed");
  EXPECT_EQ(check["passed"], true);
  for (const char* field : {"pattern", "summary", "line", "size", "block_size", "schedule", "hint", "source",
                            "seed", "reproduce"})
    EXPECT_TRUE(check[field].is_null()) << field;
  EXPECT_EQ(check["options"], nlohmann::json::object());
  EXPECT_EQ(document["exit_code"], 0);
}

TEST(CheckJson, HasTheOtherPlacesOfAFile) {
  CheckResult result = fixtures::wrong_check();
  result.column = 3;
  result.related = {{.line = 12, .column = 5, .source = "x;", .text = "thread 3 wrote it here"}};
  const auto check = document_of({result})["checks"][0];
  EXPECT_EQ(check["column"], 3);
  EXPECT_EQ(check["related"][0]["line"], 12);
  EXPECT_TRUE(check["related"][0]["pattern"].is_null());
  EXPECT_TRUE(check["right_answers"].is_null()) << "a kernel has none";
}

TEST(CheckJson, ListsFilesThatCouldNotBeCheckedToo) {
  const CheckResult missing{.file = "unknown.cu",
                            .verdict = Verdict::not_checked,
                            .pattern = "not-checked",
                            .summary = "there is no file unknown.cu"};
  const auto document = document_of({missing, fixtures::refused_check()});
  ASSERT_EQ(document["checks"].size(), 2u);
  EXPECT_TRUE(document["checks"][0]["exercise"].is_null());
  EXPECT_EQ(document["checks"][0]["check"], "gpulab check unknown.cu");
  EXPECT_EQ(document["exit_code"], 3);
}

TEST(CheckJson, HasTheTimesOfAGpu) {
  const auto on_gpu = document_of({fixtures::check_on_gpu()})["checks"][0]["on_gpu"];
  ASSERT_EQ(on_gpu.size(), 3u);
  EXPECT_DOUBLE_EQ(on_gpu[0]["kernel_cold_s"], 2.54e-3);
  EXPECT_TRUE(on_gpu[2]["kernel_cold_s"].is_null());
}

TEST(CheckJson, HasTheExitCodeOfTheWorstVerdict) {
  CheckResult defect = fixtures::wrong_check();
  defect.verdict = Verdict::defect;
  EXPECT_EQ(document_of({fixtures::right_check(), defect})["exit_code"], 1);
  EXPECT_EQ(document_of({fixtures::refused_check(), defect})["exit_code"], 3);
  EXPECT_EQ(document_of({})["exit_code"], 0);
}

TEST(CheckJson, AcceptsBytesThatAreNotUtf8) {
  CheckResult result = fixtures::refused_check();
  result.compiler_log = "stray \xff in the program";
  EXPECT_EQ(document_of({result})["checks"].size(), 1u);
}

}  // namespace
}  // namespace gpulab::check
