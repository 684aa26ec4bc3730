#include <gtest/gtest.h>

#include <algorithm>

#include "lesson/lesson.hpp"

namespace gpulab {
namespace teaching_order_test {

TEST(TeachingOrder, BeginsWithTheFirstKernelAndEndsWithWhatNeedsAllTheRest) {
  const auto lessons = all_lessons();
  EXPECT_EQ(lessons.front().name, "first-kernel");
  EXPECT_EQ(lessons.back().name, "radio-astronomy");
  EXPECT_TRUE((Place{6, 1} < Place{6, 2}));
  EXPECT_TRUE((Place{10, 2} < Place{2, 1})) << "episode 2 comes before the course writes kernels";
}

TEST(TeachingOrder, HasNoTwoLessonsInOnePlace) {
  const auto lessons = all_lessons();
  for (std::size_t i = 1; i < lessons.size(); ++i)
    EXPECT_NE(lessons[i - 1].place, lessons[i].place) << lessons[i - 1].name << " and " << lessons[i].name;
}

TEST(TeachingOrder, IsThatOfTheExercisesToo) {
  std::vector<std::string> lessons, exercises;
  for (const Exercise& exercise : all_exercises())
    if (exercise.name == exercise.lesson) exercises.push_back(exercise.lesson);  // a lesson may have two
  for (const Lesson& lesson : all_lessons())
    if (std::ranges::find(exercises, lesson.name) != exercises.end()) lessons.push_back(lesson.name);
  EXPECT_EQ(exercises, lessons);
}

}  // namespace teaching_order_test
}  // namespace gpulab
