#include "base/text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gpulab {
namespace nearest_name_test {

const std::vector<std::string> lessons = {"first-kernel", "arbitrary-size", "histogram"};

TEST(NearestName, AllowsForALetterTooManyTooFewOrElse) {
  EXPECT_EQ(nearest_name("histoggram", lessons), "histogram");
  EXPECT_EQ(nearest_name("histgram", lessons), "histogram");
  EXPECT_EQ(nearest_name("histogran", lessons), "histogram");
}

TEST(NearestName, CountsSwappedNeighboursAsOneMistake) {
  const std::vector<std::string> one = {"abc"};  // of three letters one may be wrong
  EXPECT_EQ(nearest_name("acb", one), "abc");
  EXPECT_EQ(nearest_name("cba", one), "");
}

TEST(NearestName, TakesTheNearestOfSeveral) {
  const std::vector<std::string> similar = {"shared-unsynchronised", "shared-synchronised"};
  EXPECT_EQ(nearest_name("shared-synchronized", similar), "shared-synchronised");
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("matrix", lessons), "");
  EXPECT_EQ(nearest_name("", lessons), "");
  EXPECT_EQ(nearest_name("histogram", {}), "");
}

TEST(Suggestion, AsksForTheNearestNameOrSaysWhatElseToDo) {
  EXPECT_EQ(suggestion("histogran", lessons, "gpulab list shows them"), "did you mean 'histogram'?");
  EXPECT_EQ(suggestion("matrix", lessons, "gpulab list shows them"), "gpulab list shows them");
}

}  // namespace nearest_name_test
}  // namespace gpulab
