#include "cli/options.hpp"
#include "lesson/arrays.hpp"
#include "lesson/lesson.hpp"
#include "shared_histogram/reference.hpp"
#include "test.hpp"

namespace gpulab::lessons::shared_histogram {
namespace shared_histogram_test {

TEST(SharedHistogram, IsCountedAlikeOnOneThreadAndOnAll) {
  for (const std::size_t size : {1, 7, 8, 9, 1000, 65536, 65537, 200'000}) {
    std::vector<int> input(size), plain(bins, -1), openmp(bins, -1);
    for (std::size_t i = 0; i < size; ++i) input[i] = static_cast<int>(random_bits(1, i) % bins);
    count(input, plain);
    count_openmp(input, openmp);
    EXPECT_EQ(openmp, plain) << size;
  }
}

TEST(SharedHistogram, IsCountedAlikeWhereEqualValuesFollowEachOther) {
  constexpr std::size_t size = 70'001;
  for (const std::size_t run_length : {1, 15, 16, 17, 1000, 70'001}) {
    std::vector<int> input(size), plain(bins), openmp(bins);
    for (std::size_t i = 0; i < size; ++i) input[i] = static_cast<int>(i / run_length % bins);
    for (std::size_t i = 7; i < size; i += 1600) input[i] = 255;  // between values that are equal
    count(input, plain);
    count_openmp(input, openmp);
    EXPECT_EQ(openmp, plain) << run_length;
  }
}

TEST(SharedHistogram, NamesTheFirstItemOfABinAndNoneOfAnEmptyOne) {
  const Settings settings{.size = 1000, .options = {{"distribution", "sorted"}}};
  const Problem problem = cli::find_lesson("shared-histogram").problem(settings);
  const Input<int> input{"input"};
  Inputs inputs(problem.arrays);
  std::ranges::fill(inputs[input], 7);
  inputs[input][300] = 9;
  EXPECT_EQ(problem.first_item(inputs, 7), 0u);
  EXPECT_EQ(problem.first_item(inputs, 9), 300u);
  EXPECT_EQ(problem.first_item(inputs, 8), std::nullopt);
}

TEST(SharedHistogram, NamesNoThreadOfAnElementIfThreadsTakeFourAtATime) {
  const Lesson lesson = cli::find_lesson("shared-histogram");
  const LaunchRequest request{{.work = {10'000}, .block_size = 256}, 8};
  const auto ownership = [&](const std::string& name) {
    return std::ranges::find(lesson.variants, name, &Variant::name)->launch(request).ownership;
  };
  EXPECT_EQ(ownership("private-copies"), Ownership::unknown);
  EXPECT_EQ(ownership("shared"), Ownership::one_item);
}

}  // namespace shared_histogram_test
}  // namespace gpulab::lessons::shared_histogram
