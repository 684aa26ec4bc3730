#include "source/branches.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace {

// Returns which threads come to lines 4 and 5, and the line of the branch, for these lines 3 and 6.
std::pair<Arrivals, int> arrivals(const std::string& begin, const std::string& end = "}") {
  const Branch branch = branch_around(
      "__global__ void k(int n) {\n  const int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * "
      "32 + threadIdx.x;\n" +
          begin + "\n    s[t] = 1;\n    x = s[t + 1];\n" + end + "\n}\n",
      4, 5);
  return {branch.arrivals, branch.line};
}

TEST(Branches, LetOneWarpIn) {
  for (const char* begin : {"if (t < 32) {", "if (threadIdx.x < warpSize) {", "if (warp == 0) {",
                            "if (!warp) {", "if (t <= 16) {", "if (n > 5 && threadIdx.x / 32 == 3) {",
                            "if (threadIdx.x >> 5 == 0) {", "if (i < 8) {"})
    EXPECT_EQ(arrivals(begin), std::pair(Arrivals::one_warp, 3)) << begin;
  EXPECT_EQ(arrivals("if (t >= 32) return;", ""), std::pair(Arrivals::one_warp, 3));
  EXPECT_EQ(arrivals("if (warp != 0) { return; }", ""), std::pair(Arrivals::one_warp, 3));
}

TEST(Branches, KeepSomeThreadsOut) {
  for (const char* begin :
       {"if (t < n) {", "if (lane < 16) {", "if (t < 64) {", "if (t < 32 || n == 1) {",
        "for (int k = t; k < n; k += 32) {", "if (warp < 2) {", "if (t > 5) {", "if (t <= 32) {"})
    EXPECT_EQ(arrivals(begin), std::pair(Arrivals::some, 3)) << begin;
  EXPECT_EQ(arrivals("if (i >= n) return;", ""), std::pair(Arrivals::some, 3));
  EXPECT_EQ(arrivals("if (t < 32) {", "} x = threadIdx.y;").first, Arrivals::some);
}

TEST(Branches, LetAllThreadsIn) {
  for (const char* begin : {"{", "if (n < 32) {", "for (int k = 0; k < n; ++k) {", "if (t < 32) x = 1; {"})
    EXPECT_EQ(arrivals(begin).first, Arrivals::all) << begin;
}

}  // namespace
}  // namespace gpulab::source
