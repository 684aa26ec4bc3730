#include "check/checks.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

CheckResult some_result() {
  CheckResult result{
      .exercise = "primes", .file = "primes.cu", .verdict = Verdict::defect, .pattern = "race-global"};
  result.details = {"one", "", "three"};
  result.first_differences = {{7, 1.5, 2.5, {{"A", 7, 0.5}}, true}};
  result.line = 12;
  result.related = {{.line = 4, .column = 7, .source = "x;", .pattern = "p", .text = "here"}};
  result.schedule = "reverse";
  result.tried_with = TriedWith{.size = 33, .seed = 7, .options = {{"mode", "same"}, {"taps", "3"}}};
  return result;
}

TEST(ResultText, ComesBackAsItWas) {
  const CheckResult back = unpacked(packed(some_result()));
  EXPECT_EQ(back.exercise, "primes");
  EXPECT_EQ(back.verdict, Verdict::defect);
  EXPECT_EQ(back.details, some_result().details);
  ASSERT_EQ(back.first_differences.size(), 1u);
  EXPECT_EQ(back.first_differences[0].index, 7u);
  ASSERT_EQ(back.first_differences[0].inputs.size(), 1u);
  EXPECT_EQ(back.first_differences[0].inputs[0].array, "A");
  EXPECT_EQ(back.first_differences[0].inputs[0].value, 0.5);
  EXPECT_TRUE(back.first_differences[0].is_poison);
  EXPECT_EQ(back.line, 12);
  ASSERT_EQ(back.related.size(), 1u);
  EXPECT_EQ(back.related[0].column, 7);
  EXPECT_EQ(back.related[0].text, "here");
  EXPECT_EQ(back.schedule, "reverse");
  EXPECT_EQ(back.tried_with, some_result().tried_with);
}

TEST(ResultText, IsRefusedWhereverItIsCutShort) {
  const std::string whole = packed(some_result());
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_THROW(unpacked(whole.substr(0, bytes)), std::runtime_error) << bytes;
}

TEST(ResultText, OfVariantsKeepsTheirTimes) {
  VariantResult timed{.name = "yours", .observed = Outcome::right};
  timed.kernel_cold = Timing{.samples_s = {2e-3}, .median_s = 2e-3, .confidence_s = Interval{1e-3, 3e-3}};
  VariantResult wrong{.name = "other", .observed = Outcome::wrong};
  wrong.explanation = "all of it";
  const auto back = unpacked_variants(packed(std::vector{timed, wrong}));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_DOUBLE_EQ(back[0].kernel_cold->median_s, 2e-3);
  EXPECT_FALSE(back[1].kernel_cold);
  EXPECT_EQ(back[1].explanation, "all of it");
}

}  // namespace
}  // namespace gpulab::check
