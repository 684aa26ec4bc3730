#include "check/progress.hpp"

#include <gtest/gtest.h>

#include "lesson/lesson.hpp"

namespace gpulab::check {
namespace {

const Exercise exercise{.name = "primes", .lesson = "primes", .hints = {"gentle", "clearer", "explicit"}};

TEST(Hints, ComeOneByOneAndThenAllAgain) {
  ExerciseProgress progress;
  const TakenHint first = take_hint(exercise, progress);
  EXPECT_EQ(first.texts, std::vector<std::string>{"gentle"});
  EXPECT_EQ(first.first, 1u);
  EXPECT_EQ(first.left, 2u);
  EXPECT_EQ(take_hint(exercise, progress).texts, std::vector<std::string>{"clearer"});
  EXPECT_EQ(take_hint(exercise, progress).left, 0u);
  EXPECT_EQ(progress.hints_taken, 3u);
  EXPECT_EQ(take_hint(exercise, progress).texts, exercise.hints);
  EXPECT_EQ(progress.hints_taken, 3u);
}

TEST(Hints, SayWhatFitsTheLastCheck) {
  ExerciseProgress progress;
  EXPECT_EQ(take_hint(exercise, progress).of_pattern, "");
  progress.last_pattern = "divergent-barrier";
  const TakenHint hint = take_hint(exercise, progress);
  EXPECT_EQ(hint.pattern, "divergent-barrier");
  EXPECT_NE(hint.of_pattern.find("__syncthreads()"), std::string::npos);
  progress.last_pattern = "of-a-later-version";
  EXPECT_EQ(take_hint(exercise, progress).pattern, "");
}

TEST(Hints, AreThereForEveryExercise) {
  for (const Exercise& each : all_exercises()) EXPECT_EQ(each.hints.size(), 3u) << each.lesson;
}

}  // namespace
}  // namespace gpulab::check
