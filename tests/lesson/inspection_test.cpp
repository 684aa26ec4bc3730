#include "lesson/result.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace inspection_test {

VariantInspection inspected(Outcome expected, Outcome observed) {
  VariantInspection variant;
  variant.result.expected = expected;
  variant.result.observed = observed;
  return variant;
}

TEST(Inspection, EndsWithTheGravestOfItsVariants) {
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

}  // namespace inspection_test
}  // namespace gpulab
