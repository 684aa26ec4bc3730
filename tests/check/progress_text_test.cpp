#include "check/check_formats.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/check_formats.hpp"

namespace gpulab::check {
namespace {

std::vector<ExerciseStanding> standings() {
  const auto exercise = [](const std::string& lesson, const std::string& file) {
    return Exercise{.name = lesson, .lesson = lesson, .file = file, .hints = {"a", "b", "c"}};
  };
  return {{exercise("first-kernel", "first_kernel.cu"),
           {.state = ExerciseState::passed, .hints_taken = 1, .checks = 2, .passed_on = "2026-11-21"}},
          {exercise("primes", "primes.cu"),
           {.state = ExerciseState::started, .checks = 12, .last_pattern = "shifted"}},
          {exercise("matmul", "matmul.cu"), {}}};
}

TEST(ProgressText, HasARowForEachExerciseAndSaysWhichIsNext) {
  EXPECT_EQ(progress_text(standings(), {.width = 80}),
            R"(exercise      state    on          checks   hints  last check
first-kernel  passed   2026-11-21       2  1 of 3
primes        started                  12  0 of 3  shifted
matmul        -

1 of 3 passed, next is primes: gpulab next
)");
}

TEST(ProgressText, CountsWhatPassedAfterTheSolutionWasRead) {
  auto all = standings();
  all.front().progress.read_solution = true;
  const std::string text = progress_text(all, {.width = 100});
  EXPECT_NE(text.find("passed, solution read"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 3 passed (1 after reading the solution), next is primes"), std::string::npos)
      << text;
}

TEST(ProgressText, SaysWhenAllIsDone) {
  auto all = standings();
  for (ExerciseStanding& standing : all) standing.progress.state = ExerciseState::passed;
  EXPECT_TRUE(progress_text(all, {}).ends_with("\n3 of 3 passed\n"));
}

TEST(ProgressText, LeavesOutColumnsWhereTheTerminalIsNarrow) {
  const std::string text = progress_text(standings(), {.width = 40});
  EXPECT_EQ(text.find("2026"), std::string::npos);
  EXPECT_NE(text.find("first-kernel  passed"), std::string::npos);
}

TEST(ProgressJson, HasEveryExercise) {
  const auto document = nlohmann::json::parse(progress_json(standings()));
  EXPECT_EQ(document["schema"], "gpulab.progress");
  EXPECT_EQ(document["next"], "primes");
  const auto& exercises = document["exercises"];
  ASSERT_EQ(exercises.size(), 3u);
  EXPECT_EQ(exercises[0]["state"], "passed");
  EXPECT_EQ(exercises[0]["passed_on"], "2026-11-21");
  EXPECT_EQ(exercises[1]["state"], "started");
  EXPECT_EQ(exercises[1]["checks"], 12);
  EXPECT_EQ(exercises[2]["state"], "not_started");
  EXPECT_TRUE(exercises[2]["last_pattern"].is_null());
}

}  // namespace
}  // namespace gpulab::check
