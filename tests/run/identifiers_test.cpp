#include "lesson/words.hpp"

#include <gtest/gtest.h>

namespace gpulab::run {
namespace {

TEST(Identifiers, AreWordsWithoutSpaces) {
  for (const Outcome outcome :
       {Outcome::right, Outcome::wrong, Outcome::race, Outcome::out_of_bounds, Outcome::fails_to_launch,
        Outcome::fails_to_compile, Outcome::faults, Outcome::not_run})
    EXPECT_EQ(identifier(outcome).find(' '), std::string::npos) << identifier(outcome);
  EXPECT_EQ(identifier(Outcome::fails_to_launch), "fails_to_launch");
}

TEST(Identifiers, AreThoseOfTheSchema) {
  EXPECT_EQ(identifier(StopReason::converged), "converged");
  EXPECT_EQ(identifier(StopReason::time_budget), "time_budget");
  EXPECT_EQ(identifier(StopReason::sample_limit), "sample_limit");
  EXPECT_EQ(identifier(ClaimVerdict::holds), "holds");
  EXPECT_EQ(identifier(ClaimVerdict::does_not_hold), "does_not_hold");
  EXPECT_EQ(identifier(ClaimVerdict::inconclusive), "inconclusive");
  EXPECT_EQ(identifier(ClaimVerdict::needs_gpu), "needs_gpu");
  EXPECT_EQ(identifier(ClaimVerdict::not_measured), "not_measured");
}

}  // namespace
}  // namespace gpulab::run
