#include "run/ranks/processes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gpulab::run::ranks {
namespace {

std::string sentence(const std::vector<std::string>& places) {
  return who_waits_where(places, 30);
}

TEST(WhoWaitsWhere, IsNobodysQuestionWhenAllAreInOnePlace) {
  EXPECT_EQ(sentence({"a barrier", "a barrier"}), "");
  EXPECT_EQ(sentence({"a barrier"}), "");
}

TEST(WhoWaitsWhere, NamesThePlaceOfEachRank) {
  EXPECT_EQ(sentence({"the all-reduce of output", "the all-reduce of output", "a barrier"}),
            "ranks 0 and 1 wait in the all-reduce of output, rank 2 in a barrier: all ranks must do the "
            "same in the same "
            "order");
}

TEST(WhoWaitsWhere, NamesARankThatHasEnded) {
  EXPECT_EQ(sentence({"a barrier", at_the_end}),
            "rank 0 waits in a barrier, rank 1 at the end of the program: all ranks must do the same in "
            "the same order");
}

TEST(WhoWaitsWhere, NamesWhoHasNotCome) {
  EXPECT_EQ(sentence({"a barrier", "a barrier", "a barrier", ""}),
            "rank 3 has not come within 30 s; ranks 0-2 wait in a barrier");
  EXPECT_EQ(sentence({"", "a barrier", ""}),
            "ranks 0 and 2 have not come within 30 s; rank 1 waits in a barrier");
}

TEST(WhoWaitsWhere, NamesManyRanksByTheirRanges) {
  std::vector<std::string> places(64, "a barrier");
  places[7] = places[8] = places[20] = "";
  EXPECT_EQ(sentence(places),
            "ranks 7, 8 and 20 have not come within 30 s; ranks 0-6, 9-19 and 21-63 wait in a barrier");
}

TEST(WhoWaitsWhere, DoesNotTrustWhatAnotherProcessSays) {
  EXPECT_EQ(sentence({"a barrier", "\x1b[2J"}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gpulab::run::ranks
