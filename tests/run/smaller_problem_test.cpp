#include "run/smaller_problem.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/registry.hpp"
#include "lesson_cases.hpp"

namespace gpulab::run {
namespace {

Lesson lesson_named(const std::string& name) {
  for (const Lesson& lesson : all_lessons())
    if (lesson.name == name) return lesson;
  throw std::logic_error("no lesson " + name);
}

TEST(SmallerProblem, IsTheOneThatWasAskedForWhereThatIsAllowed) {
  Settings asked = lesson_named("coalescing").default_settings();
  asked.size = 1000;
  asked.seed = 7;
  const Settings settings = smaller_problem(lesson_named("coalescing"), asked, to_inspect)->settings;
  EXPECT_EQ(settings.size, 1000u);
  EXPECT_EQ(settings.seed, 7u);
}

TEST(SmallerProblem, IsFoundForEveryLesson) {
  for (const Lesson& lesson : all_lessons()) {
    const Settings settings = smaller_problem(lesson, lesson.default_settings(), to_inspect)->settings;
    EXPECT_LE(settings.size, to_inspect.items) << lesson.name;
    EXPECT_TRUE(takes(lesson, settings)) << lesson.name;
  }
}

TEST(SmallerProblem, HasHalvesOfTheLargestOfTheLessonsCounts) {
  const Lesson lesson = lesson_named("matmul");
  Settings asked = lesson.default_settings();
  asked.options["m"] = std::uint64_t{4096};
  const Settings settings = smaller_problem(lesson, asked, to_inspect)->settings;
  EXPECT_EQ(settings.count("m"), 256u) << "2 m n k operations";
  EXPECT_EQ(settings.count("n"), asked.count("n"));
}

TEST(SmallerProblem, IsNoneWhereNothingIsLeftToHalve) {
  Lesson lesson = lesson_named("matmul");
  lesson.options.clear();
  Settings asked = lesson_named("matmul").default_settings();
  for (const char* count : {"m", "n", "k"}) asked.options[count] = std::uint64_t{4096};
  EXPECT_FALSE(smaller_problem(lesson, asked, to_inspect));
}

}  // namespace
}  // namespace gpulab::run
