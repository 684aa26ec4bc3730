#include "check/judging.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

std::vector<TriedSettings> tried(const Lesson& lesson, const std::vector<std::size_t>& sizes,
                                 auto is_right_at) {
  std::vector<TriedSettings> all;
  for (const std::size_t size : sizes) {
    Settings settings = lesson.default_settings();
    settings.size = size;
    all.push_back({settings, is_right_at(size)});
  }
  return all;
}

TEST(WhereRight, TellsMultiplesOfTheBlock) {
  const Lesson lesson = cli::find_lesson("first-kernel");
  const std::string text = where_right(
      lesson, 256, tried(lesson, {10007, 1, 256, 257, 512, 2304, 33}, [](auto n) { return n % 256 == 0; }));
  EXPECT_TRUE(contains(text, "right where size is a multiple of 256, wrong elsewhere"));
  EXPECT_TRUE(contains(text, "wrong at 1, 33, 257, 10 007"));
}

TEST(WhereRight, TellsTheSizeFromWhichOnItIsWrong) {
  const Lesson lesson = cli::find_lesson("first-kernel");
  const std::string text = where_right(
      lesson, 256, tried(lesson, {10007, 1, 33, 65535, 65536, 65537}, [](auto n) { return n < 65536; }));
  EXPECT_TRUE(contains(text, "right up to size 65 535, wrong from 65 536 on"));
}

TEST(WhereRight, TellsAnOptionAndEqualSides) {
  const Lesson lesson = cli::find_lesson("convolution");
  std::vector<TriedSettings> by_border, by_sides;
  for (const char* border : {"zero", "clamp", "mirror"})
    for (const std::uint64_t height : {16u, 24u}) {
      Settings settings = lesson.default_settings();
      settings.options["border"] = std::string(border);
      settings.options["width"] = std::uint64_t{16};
      settings.options["height"] = height;
      by_border.push_back({settings, border != std::string("mirror")});
      by_sides.push_back({settings, height == 16});
    }
  EXPECT_TRUE(
      contains(where_right(lesson, 256, by_border), "wrong with --border mirror, right with the others"));
  EXPECT_TRUE(
      contains(where_right(lesson, 256, by_sides), "right where height equals width, wrong elsewhere"))
      << where_right(lesson, 256, by_sides);
}

TEST(WhereRight, SaysNothingWhereItIsWrongEverywhereOrLittleWasTried) {
  const Lesson lesson = cli::find_lesson("first-kernel");
  EXPECT_EQ(where_right(lesson, 256, tried(lesson, {1, 2, 3, 4, 5, 6}, [](auto) { return false; })), "");
  EXPECT_EQ(where_right(lesson, 256, tried(lesson, {1, 256}, [](auto n) { return n == 256; })), "");
}

TEST(WhereRight, RelatesTheSizesOfAnInstructorsExerciseOnlyIfManySettingsShowIt) {
  Lesson lesson = cli::find_lesson("convolution");
  lesson.kernels_text = "an instructor's";
  std::vector<TriedSettings> by_sides;
  for (const std::uint64_t height : {15u, 21u, 27u, 33u, 39u, 45u, 51u, 57u}) {
    Settings settings = lesson.default_settings();
    settings.options["width"] = std::uint64_t{height < 30 ? 10u : 99u};
    settings.options["height"] = height;
    by_sides.push_back({settings, height < 30});
  }
  EXPECT_FALSE(contains(where_right(lesson, 256, by_sides), "is larger than")) << "right at three";
  by_sides.push_back(by_sides.front());
  EXPECT_TRUE(contains(where_right(lesson, 256, by_sides), "wrong where width is larger than height"))
      << where_right(lesson, 256, by_sides);
}

TEST(SimplerSettings, HaveUsualInputsOrASmallSize) {
  const Lesson lesson = cli::find_lesson("reduction");
  Settings settings = lesson.default_settings();
  settings.size = 70000;
  settings.edge_inputs = true;
  const std::vector<Settings> all = simpler_settings(lesson, settings);
  ASSERT_FALSE(all.empty());
  EXPECT_FALSE(all.front().edge_inputs);
  for (const Settings& simpler : all) EXPECT_TRUE(simpler.size <= 3 || simpler.size == 70000);
  EXPECT_TRUE(std::ranges::any_of(all, [](const Settings& at) { return at.size == 1; }));
}

TEST(SizeLimit, IsBetweenTheLargestRightAndTheSmallestWrongSize) {
  const Lesson lesson = cli::find_lesson("first-kernel");
  const auto below = tried(lesson, {1, 500, 70, 600}, [](auto n) { return n < 550; });
  ASSERT_TRUE(size_limit(below));
  EXPECT_EQ(size_limit(below)->last_right, 500u);
  EXPECT_EQ(size_limit(below)->first_wrong, 600u);
  EXPECT_FALSE(size_limit(tried(lesson, {1, 500, 70}, [](auto n) { return n > 50; })));
}

TEST(LineWithLimit, FindsNumbersAndNoNamesOrComments) {
  const Lesson lesson = cli::find_lesson("first-kernel");
  EXPECT_EQ(line_with_limit(lesson, "int a1000; // 1000\nint b = 1000;\n", 1000), 2);
  EXPECT_EQ(line_with_limit(lesson, "x = 0x3e8;", 1000), 1);
  EXPECT_EQ(line_with_limit(lesson, "x = 1000.5f;", 1000), 0);
}

TEST(LineWithLimit, SkipsLinesOfTheStarterAndDivisors) {
  const Lesson lesson = cli::find_lesson("constant");
  EXPECT_EQ(line_with_limit(lesson, "__constant__ float factors_constant[16384];", 16384), 0);
  EXPECT_EQ(line_with_limit(lesson, "x = i % 1000;\nif (i < 1000) x = 1;", 1000), 2);
}

}  // namespace
}  // namespace gpulab::check
