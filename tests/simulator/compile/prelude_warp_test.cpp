#include <algorithm>
#include <array>
#include <functional>

#include "simulator/simulator_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::compile {
namespace {

const std::string warps = source_text("tests/simulator/compile/prelude_warp.cu");

std::vector<int> counted(int count, const std::function<int(int)>& value) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(value(i));
  return values;
}

// What the CUDA C++ Programming Guide says of the four shuffles: the lane that the value comes from.
std::array<int, 4> sources(int lane, int width, int by) {
  const int first = lane / width * width, place = lane % width;
  const int exchanged = lane ^ by;
  return {first + by % width, place >= by ? lane - by : lane, place + by < width ? lane + by : lane,
          exchanged / width <= lane / width ? exchanged : lane};
}

class PreludeWarp : public SimulatorTest {};

TEST_P(PreludeWarp, ShufflesInWholeWarpsAndInPartsOfThem) {
  for (const int width : {32, 16, 8})
    for (const int by : {1, 3, 8, 16, 31}) {
      std::vector<int> expected;
      for (int thread = 0; thread < 96; ++thread)
        for (const int source : sources(thread % 32, width, by))
          expected.push_back(1000 + thread / 32 * 32 + source);
      EXPECT_EQ(results<int>(warps, "shuffle", {.block = {96}}, std::vector<int>{width, by}, 4 * 96),
                expected)
          << "width " << width << " by " << by;
    }
}

TEST_P(PreludeWarp, ShufflesValuesOfUpTo8Bytes) {
  std::vector<double> expected;
  for (int lane = 0; lane < 32; ++lane) {
    const int next = (lane + 1) % 32;
    expected.insert(expected.end(), {3.5 + next, 7 * 0.1 + next, next * 1099511627776.0, next * 1.0});
  }
  EXPECT_EQ(results<double>(warps, "shuffle_types", {.block = {32}}, std::vector<int>{7}, 4 * 32), expected);
}

TEST_P(PreludeWarp, VotesAndMatches) {
  const auto in = counted(64, [](int i) { return i < 32 ? i % 5 : 4; });
  std::vector<int> expected;
  for (int thread = 0; thread < 64; ++thread) {
    unsigned above = 0, same = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const int other = in[static_cast<std::size_t>(thread / 32 * 32 + lane)];
      above |= static_cast<unsigned>(other > 2) << lane;
      same |= static_cast<unsigned>(other == in[static_cast<std::size_t>(thread)]) << lane;
    }
    const bool all_same = same == 0xffffffff;
    expected.insert(expected.end(), {static_cast<int>(above), above != 0, above == 0xffffffff,
                                     static_cast<int>(same), all_same ? -1 : 0, all_same});
  }
  EXPECT_EQ(results<int>(warps, "vote", {.block = {64}}, in, 6 * 64), expected);
}

TEST_P(PreludeWarp, ReducesSignedAndUnsignedValues) {
  const auto in = counted(32, [](int i) { return (i - 11) * 1234567; });
  unsigned sum = 0, least = ~0u, most = 0, all = ~0u, any = 0, odd = 0;
  for (const int value : in) {
    const auto bits = static_cast<unsigned>(value);
    sum += bits, least = std::min(least, bits), most = std::max(most, bits);
    all &= bits, any |= bits, odd ^= bits;
  }
  const auto as_int = [](unsigned bits) { return static_cast<int>(bits); };
  std::vector<int> expected;
  for (int lane = 0; lane < 32; ++lane)
    expected.insert(expected.end(), {as_int(sum), -11 * 1234567, 20 * 1234567, as_int(sum), as_int(least),
                                     as_int(most), as_int(all), as_int(any), as_int(odd)});
  EXPECT_EQ(results<int>(warps, "reduce", {.block = {32}}, in, 9 * 32), expected);
}

TEST_P(PreludeWarp, LetsTheHalvesOfAWarpShuffleByThemselves) {
  const auto in = counted(32, [](int i) { return 100 + i; });
  const auto out = results<int>(warps, "halves", {.block = {32}}, in, 32);
  for (std::size_t lane = 0; lane < 16; ++lane) EXPECT_EQ(out[lane], 103);
  for (std::size_t lane = 16; lane < 32; ++lane) EXPECT_EQ(out[lane], 120);
}

TEST_P(PreludeWarp, SynchronisesTheLanesOfAMaskOnly) {
  const auto in = counted(32, [](int i) { return 100 + i; });
  const auto expected = counted(32, [](int i) { return i < 8 ? 100 + (i + 3) % 8 : 108 + (i - 8 + 3) % 24; });
  EXPECT_EQ(results<int>(warps, "hand_round", {.block = {32}}, in, 32), expected);
}

TEST_P(PreludeWarp, FormsWarpsAlongXThenYOfTheBlock) {
  const auto in = counted(64, [](int i) { return i * i; });
  int first = 0, second = 0;
  for (std::size_t i = 0; i < 32; ++i) first += in[i], second += in[32 + i];
  EXPECT_EQ(results<int>(warps, "sum_of_warp", {.block = {8, 8}}, in, 2), (std::vector<int>{first, second}));
}

TEST_P(PreludeWarp, DoesNotWaitForLanesThatHaveReturnedOrDoNotExist) {
  const auto in = counted(64, [](int i) { return i; });
  const auto expected = counted(20, [](int i) { return i == 19 ? 19 : i + 1; });
  for (const unsigned threads : {20u, 24u, 32u, 40u})
    EXPECT_EQ(results<int>(warps, "return_early", {.block = {threads}}, in, 20), expected)
        << threads << " threads";
}

TEST_P(PreludeWarp, RefusesAMaskThatLeavesOutTheCaller) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(32));
  const device::DeviceError error = failure(warps, "leave_itself_out", {.block = {32}}, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_FAILED");
  const auto line =
      1 + std::count(warps.begin(), warps.begin() + static_cast<long>(warps.rfind("__shfl")), '\n');
  EXPECT_TRUE(contains(error.explanation(), "line " + std::to_string(line)));
  EXPECT_TRUE(contains(error.explanation(), "thread 16"));
  EXPECT_TRUE(still_works());
}

INSTANTIATE_TEST_SUITE_P(Compilers, PreludeWarp, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::compile
