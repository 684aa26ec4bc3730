#include "run/count_settings.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/registry.hpp"
#include "lesson_cases.hpp"

namespace gpulab {
namespace {

Lesson lesson_named(const std::string& name) {
  for (const Lesson& lesson : all_lessons())
    if (lesson.name == name) return lesson;
  throw std::logic_error("no lesson " + name);
}

TEST(CountSettings, AreThoseThatWereAskedForWhereTheyAreQuick) {
  Settings asked = lesson_named("coalescing").default_settings();
  asked.size = 1000;
  asked.seed = 7;
  const Settings settings = settings_to_count_at(lesson_named("coalescing"), asked);
  EXPECT_EQ(settings.size, 1000u);
  EXPECT_EQ(settings.seed, 7u);
}

TEST(CountSettings, AreQuickForEveryLesson) {
  for (const Lesson& lesson : all_lessons()) {
    const Settings settings = settings_to_count_at(lesson, lesson.default_settings());
    EXPECT_LE(settings.size, most_items_counted) << lesson.name;
    EXPECT_TRUE(takes(lesson, settings)) << lesson.name;
  }
}

TEST(CountSettings, HalveTheLargestOfTheLessonsCounts) {
  const Lesson lesson = lesson_named("matmul");
  Settings asked = lesson.default_settings();
  asked.options["m"] = std::uint64_t{4096};
  const Settings settings = settings_to_count_at(lesson, asked);
  EXPECT_EQ(settings.count("m"), 256u) << "2 m n k operations";
  EXPECT_EQ(settings.count("n"), asked.count("n"));
}

TEST(CountSettings, RefuseWhatNothingCanMakeSmaller) {
  Lesson lesson = lesson_named("matmul");
  lesson.options.clear();
  Settings asked = lesson_named("matmul").default_settings();
  for (const char* count : {"m", "n", "k"}) asked.options[count] = std::uint64_t{4096};
  EXPECT_THROW(settings_to_count_at(lesson, asked), UsageError);
}

}  // namespace
}  // namespace gpulab
