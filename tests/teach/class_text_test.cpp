#include "teach/submissions.hpp"

#include <gtest/gtest.h>

#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

ClassResult small_class() {
  ClassResult result{.folder = "/course", .now = 100'000, .exercises = 17};
  result.learners = {
      {.learner = "bea",
       .exercise = "shared-histogram",
       .progress = {.state = ExerciseState::started, .checks = 7, .last_pattern = "race-shared"},
       .since = 100'000 - 40 * 60,
       .checked = 100'000 - 60,
       .passed = 8},
      {.learner = "ada",
       .exercise = "reduction",
       .progress = {.state = ExerciseState::passed, .checks = 2},
       .since = 100'000 - 26 * 3600,
       .checked = 100'000 - 25 * 3600,
       .passed = 10},
      {.learner = "cai"}};
  return result;
}

TEST(ClassLines, SayWhoIsWhereAndWhatMostAreStuckAt) {
  const std::vector<std::string> lines = class_lines(small_class(), {.colour = false, .width = 80}, 23);
  EXPECT_EQ(lines,
            (std::vector<std::string>{"3 learners, 1 stuck · /course", "",
                                      "learner  at                   for  checks  last check     ago  passed",
                                      "bea      shared-histogram  40 min       7  race-shared  1 min    8/17",
                                      "ada      reduction           26 h       2  passed        25 h   10/17",
                                      "cai      -                                 -                     0/17",
                                      "", "most are stuck at: race-shared in shared-histogram (1)"}));
}

TEST(ClassLines, FitTheScreenAndCountTheRest) {
  ClassResult many = small_class();
  for (int i = 0; i < 60; ++i)
    many.learners.push_back(many.learners.front()), many.learners.back().learner = std::string(60, 'x');
  many.not_read = 4;
  const std::vector<std::string> lines = class_lines(many, {.colour = false, .width = 80}, 23);
  EXPECT_EQ(lines.size(), 23u);
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_TRUE(contains(lines[21], "and 46 more, not stuck for as long; 4 files")) << lines[21];
  EXPECT_TRUE(contains(lines[22], "(61)")) << lines[22];
}

}  // namespace
}  // namespace gpulab::teach
