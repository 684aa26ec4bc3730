#include "bench/bench_formats.hpp"

#include <gtest/gtest.h>

#include "bench/bench_fixtures.hpp"

namespace gpulab::bench {
namespace {

TEST(CaseDifferences, SayNothingOfWhatAllCasesShare) {
  const CaseDifferences differences({some_case("a"), some_case("b", 4096)});
  EXPECT_EQ(differences.text(some_case("a")), "");
}

TEST(CaseDifferences, NameTheOptionsTheSeedsAndTheBlocksThatDiffer) {
  BenchCase other = some_case();
  other.options["distribution"] = std::string("sorted");
  other.block_size = 64;
  const CaseDifferences differences({some_case(), other});
  EXPECT_EQ(differences.text(some_case()), "distribution=uniform block=own");
  EXPECT_EQ(differences.text(other), "distribution=sorted block=64");
}

TEST(CaseDifferences, AreThoseOfEachLesson) {
  BenchCase of_another_lesson = some_case();
  of_another_lesson.lesson = "matmul";
  of_another_lesson.seed = 7;
  EXPECT_EQ(CaseDifferences({some_case(), of_another_lesson}).text(of_another_lesson), "");
}

}  // namespace
}  // namespace gpulab::bench
