#include "run/variant_run.hpp"

#include "test.hpp"

namespace gpulab::run {
namespace seams_test {

constexpr std::size_t width = 3, height = 10;
const Output<float> out{"out"};

// Returns a problem of two ranks with five rows each.
Problem divided_by_rows() {
  Problem problem{.arrays = {out(width, height)}};
  problem.part = [](int rank, int ranks) {
    const Share rows = share_of(height, rank, ranks);
    return PartOfProblem{.arrays = {{out, {rows.first * width, rows.count * width}, width}}};
  };
  problem.ranks_in_turn = 2;
  return problem;
}

class WrongEdges : public testing::Test {
 protected:
  WrongEdges() : outputs(problem.arrays), expected(problem.arrays) {
    std::ranges::fill(outputs[out], 0.0f);
    std::ranges::fill(expected[out], 0.0f);
  }

  std::string edges_with_wrong_rows(const std::vector<std::size_t>& rows) {
    for (const std::size_t row : rows) outputs[out][row * width + 1] = 1;
    return wrong_edges_of_ranks(problem, outputs.at(0), expected.at(0), exact);
  }
  std::string edges_of_rank(int rank) {
    return wrong_edges(outputs.at(0), expected.at(0), problem.part(rank, 2).arrays[0], exact);
  }

  Problem problem = divided_by_rows();
  Outputs outputs, expected;
};

TEST_F(WrongEdges, AreNamedWithTheirRanks) {
  EXPECT_EQ(edges_with_wrong_rows({4, 5, 6}), "the last row of rank 0, the first 2 rows of rank 1");
  EXPECT_EQ(edges_of_rank(0), "the last row");
  EXPECT_EQ(edges_of_rank(1), "the first 2 rows");
}

TEST_F(WrongEdges, MayBeBothOfARank) {
  EXPECT_EQ(edges_with_wrong_rows({0, 3, 4}), "the first row and the last 2 rows of rank 0");
  EXPECT_EQ(edges_of_rank(1), "");
}

TEST_F(WrongEdges, AreNoneWhereARowInTheMiddleIsWrong) {
  EXPECT_EQ(edges_with_wrong_rows({4, 7}), "");
  EXPECT_EQ(edges_of_rank(1), "");
}

TEST_F(WrongEdges, AreNoneWhereAllOfARankIsWrong) {
  EXPECT_EQ(edges_with_wrong_rows({5, 6, 7, 8, 9}), "");
}

TEST_F(WrongEdges, AreNoneWhereNothingIsWrongOrDivided) {
  EXPECT_EQ(edges_with_wrong_rows({}), "");
  problem.ranks_in_turn = 1;
  EXPECT_EQ(edges_with_wrong_rows({4}), "");
}

TEST_F(WrongEdges, OfRanksInARowAreNamedTogether) {
  problem.ranks_in_turn = 5;
  EXPECT_EQ(edges_with_wrong_rows({3, 5, 7}), "the last row of ranks 1 to 3");
}

TEST_F(WrongEdges, OfManyRanksAreNotAllNamed) {
  problem.ranks_in_turn = 5;
  EXPECT_EQ(edges_with_wrong_rows({1, 2, 5, 6}),
            "the last row of rank 0, the first row of rank 1, the last row of rank 2, and so on");
}

}  // namespace seams_test
}  // namespace gpulab::run
