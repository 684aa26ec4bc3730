#include "lesson/lesson.hpp"
#include "base/error.hpp"
#include "run/lesson_cases.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab {
namespace convolution_lesson_test {

class ConvolutionLesson : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Writes a file with this text, and returns its path.
  std::string file(const std::string& text) {
    const std::string path = folder_ / ("file" + std::to_string(files_++));
    std::ofstream(path) << text;
    return path;
  }

  Settings settings_with(std::map<std::string, OptionValue> changed) const {
    Settings settings{.options = run::default_values(lesson_)};
    for (auto& [name, value] : changed) settings.options[name] = value;
    return settings;
  }

  std::string complaint_about(std::map<std::string, OptionValue> changed) const {
    return message_thrown<UsageError>([&] { lesson_.problem(settings_with(std::move(changed))); }, "none");
  }

  const std::vector<Lesson> lessons_ = all_lessons();
  const Lesson& lesson_ = *std::ranges::find(lessons_, "convolution", &Lesson::name);

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  testing::UnitTest::GetInstance()->current_test_info()->name();
  int files_ = 0;
};

TEST_F(ConvolutionLesson, RefusesAnEvenFilterAndOneThatIsTooLarge) {
  EXPECT_EQ(complaint_about({{"filter-width", std::uint64_t{4}}}),
            "a filter of width 4 is even, and has no pixel in its middle; take an odd number");
  std::string row;
  for (int i = 0; i < 65; ++i) row += "1 ";
  EXPECT_TRUE(contains(complaint_about({{"filter-file", file(row)}}),
                       "is 65 x 1, and the kernels have room for 63 x 63"));
}

TEST_F(ConvolutionLesson, RefusesFilesThatAreNotThereOrNoImageOrNoFilter) {
  EXPECT_TRUE(
      contains(complaint_about({{"input", std::string("/nowhere/image.fits")}}), "/nowhere/image.fits"));
  EXPECT_TRUE(contains(complaint_about({{"input", file("1 2 3\n")}}), "neither FITS nor PNG"));
  EXPECT_EQ(complaint_about({{"filter-file", std::string("/nowhere/filter.txt")}}),
            "cannot read the filter /nowhere/filter.txt: name a text file with rows of numbers");
  EXPECT_TRUE(contains(complaint_about({{"filter-file", testing::TempDir()}}), "cannot read the filter"));
}

TEST_F(ConvolutionLesson, RefusesMorePixelsThanAnIntCanCount) {
  EXPECT_TRUE(contains(complaint_about({{"width", std::uint64_t{65536}}, {"height", std::uint64_t{40000}}}),
                       "the most that kernels can index with an int"));
}

TEST_F(ConvolutionLesson, ReadsTheFilterAgainForEveryProblem) {
  const std::string path = file("1 2 3\n");
  EXPECT_TRUE(contains(lesson_.problem(settings_with({{"filter-file", path}})).description, "filter 3 x 1"));
  std::ofstream(path) << "1\n2\n3\n";
  EXPECT_TRUE(contains(lesson_.problem(settings_with({{"filter-file", path}})).description, "filter 1 x 3"));
}

// Expects right results in two passes, where the filter is separable, and directly, where it is not.
TEST_F(ConvolutionLesson, IsRightWithFiltersOfAnyRankAndShape) {
  device::Device* device = simulator::simulator_with("g++");
  if (!device) GTEST_SKIP() << "g++ is not installed";
  for (const std::string text :
       {"1 2 3\n", "1\n-2\n3\n", "1 0 0\n0 1 0\n0 0 1\n", "0 0 0\n", "1 2 1\n2 4 2\n1 2 1\n"})
    for (const std::string border : {"zero", "clamp", "mirror"}) {
      run::RunOptions options;
      options.settings = settings_with({{"filter-file", file(text)},
                                        {"border", border},
                                        {"image", std::string("random")},
                                        {"width", std::uint64_t{37}},
                                        {"height", std::uint64_t{71}}});
      options.time_budget_s = 1e-9;
      const LessonResult result = run::run_lesson(lesson_, options, *device);
      EXPECT_EQ(exit_code_of(result), ExitCode::ok) << text << border;
      const auto runs_here = [](const Variant& variant) { return !variant.needs; };
      EXPECT_EQ(result.variants.size(), std::ranges::count_if(lesson_.variants, runs_here));
    }
}

}  // namespace convolution_lesson_test
}  // namespace gpulab
