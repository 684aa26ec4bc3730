#include "lesson/result.hpp"

#include "test.hpp"

namespace gpulab {
namespace result_test {

ExitCode exit_code_of(const std::vector<std::pair<Outcome, Outcome>>& stated_and_observed) {
  LessonResult result;
  for (const auto& [stated, observed] : stated_and_observed)
    result.variants.push_back({.expected = stated, .observed = observed});
  return gpulab::exit_code_of(result);
}

TEST(ExitCodeOfAResult, IsZeroWhenEveryVariantDidWhatIsStated) {
  EXPECT_EQ(exit_code_of({}), ExitCode::ok);
  for (const Outcome outcome : {Outcome::right, Outcome::wrong, Outcome::out_of_bounds,
                                Outcome::fails_to_launch, Outcome::fails_to_compile, Outcome::faults})
    EXPECT_EQ(exit_code_of({{outcome, outcome}}), ExitCode::ok) << name_of(outcome);
}

TEST(ExitCodeOfAResult, IsZeroWhateverARaceComputes) {
  EXPECT_EQ(exit_code_of({{Outcome::race, Outcome::right}, {Outcome::race, Outcome::wrong}}), ExitCode::ok);
  EXPECT_EQ(exit_code_of({{Outcome::race, Outcome::out_of_bounds}}), ExitCode::wrong_result);
  EXPECT_EQ(exit_code_of({{Outcome::race, Outcome::faults}}), ExitCode::device);
}

TEST(ExitCodeOfAResult, ReportsEveryOutcomeThatIsNotStated) {
  const std::pair<Outcome, ExitCode> codes[] = {
      {Outcome::wrong, ExitCode::wrong_result},     {Outcome::out_of_bounds, ExitCode::wrong_result},
      {Outcome::fails_to_launch, ExitCode::device}, {Outcome::fails_to_compile, ExitCode::compilation},
      {Outcome::faults, ExitCode::device},          {Outcome::not_run, ExitCode::device}};
  for (const auto& [observed, code] : codes)
    EXPECT_EQ(exit_code_of({{Outcome::right, observed}}), code) << name_of(observed);
  EXPECT_EQ(exit_code_of({{Outcome::wrong, Outcome::right}}), ExitCode::wrong_result)
      << "a mistake that does not show is not what the lesson says";
  EXPECT_EQ(exit_code_of({{Outcome::fails_to_compile, Outcome::right}}), ExitCode::wrong_result);
}

TEST(ExitCodeOfAResult, IsTheMostSevereOfSeveral) {
  const std::pair<Outcome, Outcome> wrong{Outcome::right, Outcome::wrong},
      refused{Outcome::right, Outcome::fails_to_compile}, lost{Outcome::right, Outcome::faults};
  EXPECT_EQ(exit_code_of({refused, wrong}), ExitCode::compilation);
  EXPECT_EQ(exit_code_of({lost, refused, wrong}), ExitCode::device);
}

TEST(ExitCodeOfAResult, CountsAReferenceThatIsWrong) {
  LessonResult result;
  result.references = {{.name = "reference"}, {.name = "reference, OpenMP", .observed = Outcome::wrong}};
  EXPECT_EQ(gpulab::exit_code_of(result), ExitCode::wrong_result);
}

TEST(MoreSevereCode, IsTheHigherOneButForARegression) {
  EXPECT_EQ(more_severe(ExitCode::ok, ExitCode::ok), ExitCode::ok);
  EXPECT_EQ(more_severe(ExitCode::wrong_result, ExitCode::device), ExitCode::device);
  EXPECT_EQ(more_severe(ExitCode::compilation, ExitCode::wrong_result), ExitCode::compilation);
  EXPECT_EQ(more_severe(ExitCode::ok, ExitCode::regression), ExitCode::regression);
  EXPECT_EQ(more_severe(ExitCode::regression, ExitCode::ok), ExitCode::regression);
  EXPECT_EQ(more_severe(ExitCode::regression, ExitCode::wrong_result), ExitCode::wrong_result);
  EXPECT_EQ(more_severe(ExitCode::wrong_result, ExitCode::regression), ExitCode::wrong_result);
}

VariantInspection inspected(Outcome expected, Outcome observed) {
  VariantInspection variant;
  variant.result.expected = expected;
  variant.result.observed = observed;
  return variant;
}

TEST(Inspection, EndsWithTheMostSevereCodeOfItsVariants) {
  Inspection inspection;
  inspection.variants = {inspected(Outcome::right, Outcome::right), inspected(Outcome::race, Outcome::right)};
  EXPECT_EQ(exit_code_of(inspection), ExitCode::ok);
  inspection.variants.push_back(inspected(Outcome::right, Outcome::wrong));
  EXPECT_EQ(exit_code_of(inspection), ExitCode::wrong_result);
  inspection.variants.push_back(inspected(Outcome::right, Outcome::fails_to_compile));
  EXPECT_EQ(exit_code_of(inspection), ExitCode::compilation);
}

TEST(Inspection, HasCountsOfWhatRanToItsEnd) {
  for (const Outcome outcome : {Outcome::right, Outcome::wrong, Outcome::out_of_bounds, Outcome::leaks})
    EXPECT_TRUE(is_counted(inspected(Outcome::right, outcome))) << name_of(outcome);
  for (const Outcome outcome : {Outcome::faults, Outcome::fails_to_compile, Outcome::fails_to_launch})
    EXPECT_FALSE(is_counted(inspected(outcome, outcome))) << name_of(outcome);
}

}  // namespace result_test
}  // namespace gpulab
