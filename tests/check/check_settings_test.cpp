#include "check/checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lesson/lesson.hpp"

namespace gpulab::check {
namespace {

Lesson lesson(const std::string& name) {
  const std::vector<Lesson> lessons = all_lessons();
  return *std::ranges::find(lessons, name, &Lesson::name);
}

// The settings that the words stand for, when the others are as in the first.
Settings restored(const Settings& first, const TriedWith& tried) {
  Settings settings = first;
  settings.size = tried.size;
  settings.seed = tried.seed;
  for (const auto& [name, word] : tried.options) {
    OptionValue& value = settings.options.at(name);
    if (std::holds_alternative<std::string>(value)) value = word;
    if (std::holds_alternative<std::uint64_t>(value)) value = std::uint64_t{std::stoull(word)};
    if (std::holds_alternative<double>(value)) value = std::stod(word);
  }
  return settings;
}

TEST(CheckSettings, AreFoundAgainByWhatIsToldOfThem) {
  for (const Exercise& exercise : all_exercises()) {
    const Lesson of = lesson(exercise.lesson);
    const std::vector<Settings> all = check_settings(of, 256);
    ASSERT_FALSE(all.empty());
    for (const Settings& settings : all) {
      const Settings again = restored(all.front(), tried_with(of, 256, settings));
      EXPECT_EQ(again.size, settings.size) << of.name;
      EXPECT_EQ(again.options, settings.options) << of.name;
    }
  }
}

TEST(CheckSettings, AreToldWhereTheyAreUnusual) {
  const Lesson convolution = lesson("convolution");
  const Settings first = check_settings(convolution, 256).front();
  const TriedWith tried = tried_with(convolution, 256, first);
  EXPECT_EQ(tried.options,
            (std::map<std::string, std::string>{
                {"filter-width", "3"}, {"height", "64"}, {"image", "random"}, {"width", "64"}}));
}

TEST(CheckSettings, HaveAFilterThatIsNotAsHighAsWide) {
  const Lesson convolution = lesson("convolution");
  const auto is_oblong = [&](const Settings& at) {
    const std::vector<SizedArray> arrays = convolution.problem(at).arrays;
    const Extent shape = std::ranges::find(arrays, "filter", &SizedArray::name)->shape;
    return shape.x != shape.y;
  };
  EXPECT_TRUE(std::ranges::any_of(check_settings(convolution, 256), is_oblong));
}

TEST(CheckSettings, HaveAFilterThatIsAnotherWhenItIsTurnedRound) {
  for (const char* name : {"convolution", "convolution-1d"}) {
    const auto all = check_settings(lesson(name), 256);
    EXPECT_TRUE(std::ranges::any_of(all, [](const Settings& at) { return at.word("filter") == "ramp"; }))
        << name;
  }
}

}  // namespace
}  // namespace gpulab::check
