#include "check/check_formats.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

TEST(HintText, CountsTheHintsAndNamesTheNextCommand) {
  EXPECT_EQ(
      hint_text({.exercise = "primes", .texts = {"Look at the loop.\nTwice.\n"}, .first = 2, .left = 1}, {}),
      "primes, hint 2 of 3\n  Look at the loop.\n  Twice.\n\n1 left: gpulab hint primes\n");
}

TEST(HintText, BeginsWithWhatFitsTheLastCheck) {
  const TakenHint hint{
      .exercise = "primes", .pattern = "shifted", .of_pattern = "Is there a + 1?", .texts = {"b"}, .left = 2};
  EXPECT_TRUE(
      hint_text(hint, {}).starts_with("the last check showed shifted\n  Is there a + 1?\n\nprimes, hint 1"));
}

TEST(HintText, PointsToTheSolutionAfterTheLast) {
  const std::string text = hint_text({.exercise = "primes", .texts = {"a", "b"}}, {});
  EXPECT_NE(text.find("primes, hint 1 of 2\n  a\n\nprimes, hint 2 of 2\n  b\n\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("none left: gpulab solution primes\n"));
}

}  // namespace
}  // namespace gpulab::check
