#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "check/checks.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "source_files.hpp"
#include "text_contains.hpp"

// Programs that want to pass without having done the work: attacks/EXERCISE/NAME.cu. The first line says what
// check must report of each, "// expect: PATTERN: words of the sentence"; without a pattern it is right.

namespace gpulab::check {
namespace attacks_test {

namespace fs = std::filesystem;

std::vector<fs::path> all_attacks() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_file("tests/check/attacks")))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

Exercise exercise_of(const fs::path& attack) {
  const std::string file = attack.parent_path().filename().string() + ".cu";
  for (const Exercise& exercise : all_exercises())
    if (exercise.is_program() && exercise.file == file) return exercise;
  throw std::logic_error("there is no exercise with " + file);
}

class Attack : public testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    if (!simulator::simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
    if (!sandbox::support().is_whole()) GTEST_SKIP() << "this machine cannot confine";
  }
};

TEST_P(Attack, IsRefusedWithASentenceThatSaysWhy) {
  const std::string text = content_of(GetParam()), label = "// expect: ";
  ASSERT_TRUE(text.starts_with(label));
  const std::size_t colon = text.find(':', label.size());
  const std::string pattern = text.substr(label.size(), colon - label.size());
  const std::string words = text.substr(colon + 1, text.find('\n') - colon - 1);
  const auto begin = std::chrono::steady_clock::now();
  const Exercise exercise = exercise_of(GetParam());
  const CheckResult result = check_program(exercise, {exercise.file, text}, {});
  EXPECT_EQ(result.pattern, pattern) << result.summary << result.compiler_log;
  EXPECT_EQ(result.verdict == Verdict::right, pattern.empty()) << result.summary;
  EXPECT_TRUE(contains(result.summary, words.substr(std::min(words.find_first_not_of(' '), words.size()))));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

INSTANTIATE_TEST_SUITE_P(All, Attack, testing::ValuesIn(all_attacks()), [](const auto& info) {
  return info.param.parent_path().filename().string() + "_" + info.param.stem().string();
});

}  // namespace attacks_test
}  // namespace gpulab::check
