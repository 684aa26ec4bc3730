#include <numeric>

#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::compile {
namespace {

class CooperativeGroups : public SimulatorTest {
 protected:
  // What 64 threads store in out[threadIdx.x]; in[i] is i.
  std::vector<int> of_two_warps(const std::string& body) {
    std::vector<int> numbers(64);
    std::iota(numbers.begin(), numbers.end(), 0);
    return results<int, int>(
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
        "namespace cg = cooperative_groups;\n"
        "__global__ void k(const int* in, int* out) {\n  const int t = threadIdx.x;\n"
        "  const cg::thread_block block = cg::this_thread_block();\n" +
            body + "}\n",
        "k", {.grid = {1}, .block = {64}}, numbers, 64);
  }
};

TEST_P(CooperativeGroups, ABlockSynchronisesAndKnowsItsThreads) {
  const auto found = of_two_warps(
      "__shared__ int all[64]; all[block.thread_rank()] = in[t]; block.sync();\n"
      "out[t] = all[block.size() - 1 - t];\n");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], 63 - t);
}

TEST_P(CooperativeGroups, TilesShuffleAmongThemselves) {
  const auto found = of_two_warps(
      "const auto tile = cg::tiled_partition<8>(block);\n"
      "out[t] = tile.shfl(in[t], 2) * 1000 + tile.shfl_down(in[t], 1) + 100000 * tile.meta_group_rank();\n");
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(found[t], (t / 8 * 8 + 2) * 1000 + (t % 8 == 7 ? t : t + 1) + 100000 * (t / 8)) << t;
}

TEST_P(CooperativeGroups, TilesShuffleStructures) {
  const auto found = of_two_warps(
      "const auto tile = cg::tiled_partition<32>(block);\n"
      "const int4 mine = make_int4(t, 10 * t, 100 * t, 1000 * t);\n"
      "const int4 theirs = tile.shfl_xor(mine, 1);\n"
      "out[t] = theirs.x + theirs.y + theirs.z + theirs.w;\n");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], 1111 * (t ^ 1)) << t;
}

TEST_P(CooperativeGroups, TilesOfTilesVote) {
  const auto found = of_two_warps(
      "const auto warp = cg::tiled_partition<32>(block);\n"
      "const auto tile = cg::tiled_partition<4>(warp);\n"
      "out[t] = tile.ballot(t % 3 == 0) + 100 * tile.any(t == 5) + 1000 * tile.thread_rank() + 10000 * "
      "tile.meta_group_size();\n");
  for (int t = 0; t < 64; ++t) {
    int ballot = 0;
    for (int i = 0; i < 4; ++i) ballot |= ((t / 4 * 4 + i) % 3 == 0) << i;
    EXPECT_EQ(found[t], ballot + 100 * (t / 4 == 1) + 1000 * (t % 4) + 80000) << t;
  }
}

TEST_P(CooperativeGroups, ReduceAddsUpTilesAndCoalescedThreads) {
  const auto found = of_two_warps(
      "const auto warp = cg::tiled_partition<32>(block);\n"
      "out[t] = cg::reduce(warp, in[t], cg::plus<int>()) + 10000 * (cg::reduce(warp, in[t], "
      "cg::greater<int>()) == 31);\n"
      "if (t % 2) {\n  const cg::coalesced_group some = cg::coalesced_threads();\n"
      "  out[t] = cg::reduce(some, 1, cg::plus<int>()) * 100 + some.thread_rank();\n}\n");
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(found[t], t % 2 ? 1600 + t % 32 / 2 : t < 32 ? 496 + 10000 : 1520) << t;
}

TEST_P(CooperativeGroups, ScansGoUpToTheThreadItself) {
  const auto found = of_two_warps(
      "const auto tile = cg::tiled_partition<16>(block);\n"
      "out[t] = cg::inclusive_scan(tile, 1) * 100 + cg::exclusive_scan(tile, 1);\n");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], (t % 16 + 1) * 100 + t % 16) << t;
}

TEST_P(CooperativeGroups, AGroupOfAnyKindIsABlockOrATile) {
  const auto found = of_two_warps(
      "cg::thread_group all = block, tile = cg::tiled_partition(all, 16);\n"
      "all.sync(); tile.sync();\nout[t] = all.size() * 100 + tile.size() + tile.thread_rank();\n");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], 6416 + t % 16) << t;
}

INSTANTIATE_TEST_SUITE_P(Compilers, CooperativeGroups, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::compile
