#include <gtest/gtest.h>

#include <algorithm>

#include "core/registry.hpp"

namespace gpulab {
namespace {

Lesson shared_histogram() {
  const std::vector<Lesson> lessons = all_lessons();
  return *std::ranges::find(lessons, "shared-histogram", &Lesson::name);
}

TEST(SharedHistogram, NamesTheFirstItemOfABinAndNoneOfAnEmptyOne) {
  const Settings settings{.size = 1000, .options = {{"distribution", "sorted"}}};
  const Problem problem = shared_histogram().problem(settings);
  Arrays inputs(problem.arrays(), Role::input);
  std::ranges::fill(inputs.get<int>("input"), 7);
  inputs.get<int>("input")[300] = 9;
  EXPECT_EQ(problem.first_item(inputs, 7), 0u);
  EXPECT_EQ(problem.first_item(inputs, 9), 300u);
  EXPECT_EQ(problem.first_item(inputs, 8), std::nullopt);
}

TEST(SharedHistogram, DoesNotTellWhoseAnElementIsWhereThreadsTakeFourAtATime) {
  const Lesson lesson = shared_histogram();
  const LaunchRequest request{{.work = {10'000}, .block_size = 256}, 8};
  const auto ownership = [&](const std::string& name) {
    return std::ranges::find(lesson.variants, name, &Variant::name)->launch(request).ownership;
  };
  EXPECT_EQ(ownership("private-copies"), Ownership::unknown);
  EXPECT_EQ(ownership("shared"), Ownership::one_item);
}

}  // namespace
}  // namespace gpulab
