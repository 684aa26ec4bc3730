#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::compile {
namespace {

// Calls every atomic on in[0] with the operand in[1]. Each row of out is {returned value, stored value}. The
// rows of shared memory come first, then those of global memory, for integers after the cell out[20].
const std::string atomics = source_text("tests/simulator/compile/prelude_atomics.cu");

// Returns the rows of the integer atomics, in the kernel's order: the value before, and the stored one.
template <class T>
std::vector<T> expected_of_integers(T a, T b) {
  const auto add = [](T x, T y) {
    return static_cast<T>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
  };
  const std::vector<T> stored{add(a, b),
                              add(a, static_cast<T>(0u - static_cast<unsigned>(b))),
                              b,
                              std::min(a, b),
                              std::max(a, b),
                              static_cast<T>(a & b),
                              static_cast<T>(a | b),
                              static_cast<T>(a ^ b),
                              b,
                              a};
  std::vector<T> rows;
  for (const T value : stored) rows.insert(rows.end(), {a, value});
  return rows;
}

template <class T>
std::vector<T> part(const std::vector<T>& all, std::size_t first, std::size_t count) {
  const auto start = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {start, start + static_cast<std::ptrdiff_t>(count)};
}

class PreludeAtomics : public SimulatorTest {};

TEST_P(PreludeAtomics, UpdateAnIntInSharedAndInGlobalMemory) {
  for (const std::vector<int>& in : {std::vector{12, -7}, std::vector{-7, 12}, std::vector{2147483647, 2}}) {
    const auto out = results<int>(atomics, "on_int", {}, in, 41);
    EXPECT_EQ(part(out, 0, 20), expected_of_integers(in[0], in[1]));
    EXPECT_EQ(part(out, 21, 20), expected_of_integers(in[0], in[1]));
  }
}

TEST_P(PreludeAtomics, UpdateAnUnsignedInSharedAndInGlobalMemory) {
  for (const std::vector<unsigned>& in : {std::vector{12u, 4000000000u}, std::vector{4000000000u, 12u}}) {
    const auto out = results<unsigned>(atomics, "on_unsigned", {}, in, 41);
    EXPECT_EQ(part(out, 0, 20), expected_of_integers(in[0], in[1]));
    EXPECT_EQ(part(out, 21, 20), expected_of_integers(in[0], in[1]));
  }
}

TEST_P(PreludeAtomics, IncrementAndDecrementWrapAtTheirLimit) {
  const std::vector<unsigned> start_and_limit{0, 5, 5, 5, 9, 5, 3, 5};
  const std::vector<unsigned> once{1, 0, 0, 4, 5, 4, 5, 2};
  const auto out = results<unsigned>(atomics, "wrapping", {}, start_and_limit, 17);
  EXPECT_EQ(part(out, 0, 8), once);
  EXPECT_EQ(part(out, 8, 8), once);
}

TEST_P(PreludeAtomics, UpdateAFloatAndADouble) {
  const std::vector<float> rows{1.5f, 3.75f, 1.5f, 2.25f};
  const auto floats = results<float>(atomics, "on_float", {}, std::vector<float>{1.5f, 2.25f}, 9);
  EXPECT_EQ(part(floats, 0, 4), rows);
  EXPECT_EQ(part(floats, 4, 4), rows);
  const auto doubles = results<double>(atomics, "on_double", {}, std::vector<double>{0.1, 1e-9}, 5);
  EXPECT_EQ(part(doubles, 0, 4), (std::vector<double>{0.1, 0.1 + 1e-9, 0.1, 0.1 + 1e-9}));
}

TEST_P(PreludeAtomics, Update64Bits) {
  const double a = 1e15, b = 3e14;
  const std::vector<double> returned{a, a + b, b, 2 * b, a};
  const auto out = results<double>(atomics, "on_64_bits", {}, std::vector<double>{a, b}, 11);
  EXPECT_EQ(part(out, 0, 5), returned);
  EXPECT_EQ(part(out, 5, 5), returned);
}

TEST_P(PreludeAtomics, LoseNothingWhenManyBlocksMeetAtOneAddress) {
  const int threads = 500 * 100;
  const DeviceBuffer<int> one = buffer(std::vector<int>{1});
  const DeviceBuffer<int> out = buffer(std::vector<int>(5));
  launch(atomics, "count_threads", {.grid = {500}, .block = {100}}, static_cast<const int*>(one.pointer()),
         out.pointer());
  float as_float = static_cast<float>(threads);
  int bits;
  __builtin_memcpy(&bits, &as_float, sizeof bits);
  EXPECT_EQ(out.values(), (std::vector<int>{threads, bits, threads - 1, threads, threads}));
}

INSTANTIATE_TEST_SUITE_P(Compilers, PreludeAtomics, both_compilers, name_of_compiler);

const std::string numbers = source_text("tests/simulator/compile/prelude_numbers.cu");

class PreludeNumbers : public SimulatorTest {};

TEST_P(PreludeNumbers, CountsBitsAsTheGpuDoes) {
  const std::vector<int> in{0, 1, -1, 2, std::numeric_limits<int>::min(), 0x12345678, 12345, -7};
  const auto bit = [](unsigned long long x, int i) { return static_cast<unsigned>(x >> i & 1); };
  std::vector<int> expected;
  const auto expect_bits_of = [&](unsigned long long x, int width) {
    int ones = 0, leading = width, first = 0;
    unsigned long long reversed = 0;
    for (int i = 0; i < width; ++i) {
      ones += static_cast<int>(bit(x, i));
      if (bit(x, i)) leading = width - 1 - i;
      if (bit(x, i) && first == 0) first = i + 1;
      reversed |= static_cast<unsigned long long>(bit(x, i)) << (width - 1 - i);
    }
    const int high = static_cast<int>(static_cast<unsigned>(reversed >> (width - 32)));
    expected.insert(expected.end(), {ones, leading, first, high});
  };
  for (const int x : in) {
    expect_bits_of(static_cast<unsigned>(x), 32);
    expect_bits_of(static_cast<unsigned long long>(x * (1LL << 20)), 64);
  }
  EXPECT_EQ(results<int>(numbers, "count_bits", {.block = {8}}, in, 64), expected);
}

TEST_P(PreludeNumbers, HasTheIntegerArithmeticOfTheGpu) {
  const std::vector<int> in{-0x12345678, 0x7654321};
  const long long a = in[0], b = in[1];
  const unsigned ua = static_cast<unsigned>(in[0]), ub = static_cast<unsigned>(in[1]);
  const unsigned long long both = static_cast<unsigned long long>(ub) << 32 | ua;
  const auto low24 = [](long long x) { return (x & 0xffffff) - (x & 0x800000) * 2; };
  const auto as_int = [](unsigned long long x) { return static_cast<int>(static_cast<unsigned>(x)); };
  const std::vector<int> expected{
      static_cast<int>(a * b >> 32),
      as_int(static_cast<unsigned long long>(ua) * ub >> 32),
      as_int(static_cast<unsigned long long>(low24(a) * low24(b))),
      as_int(static_cast<unsigned long long>(ua & 0xffffff) * (ub & 0xffffff)),
      as_int((ua & 0xff) | (ub & 0xff) << 8 | (ua >> 8 & 0xff) << 16 | (ub >> 8 & 0xff) << 24),
      as_int(both << 8 >> 32),
      as_int(both >> 8),
      in[0],
      2 * 1000 - 2 * 100 - 3 * 10 - 2};
  EXPECT_EQ(results<int>(numbers, "arithmetic", {}, in, 9), expected);
}

TEST_P(PreludeNumbers, OverloadsMinMaxAndAbsForEveryType) {
  const std::vector<double> expected{-3, 2, 2, 4294967293.0, -6e12, 4e12, -3, -0.5, -3, 1e-50,
                                     -6, 4, 3, 3e12,         3,     3,    3,  -3,   1};
  EXPECT_EQ(results<double>(numbers, "least_and_most", {}, std::vector<double>{-3, 2}, 19), expected);
}

TEST_P(PreludeNumbers, ComparesSignedWithUnsignedAsUnsigned) {
  const double minus_three = 18446744073709551613.0;
  EXPECT_EQ(results<double>(numbers, "mixed_signs", {}, std::vector<double>{-3, 2}, 4),
            (std::vector<double>{2, minus_three, 2, minus_three}));
}

TEST_P(PreludeNumbers, HasTheFloatFunctionsAndTheirFastSpellings) {
  const float x = 0.7f;
  const std::vector<float> in{x, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity()};
  const std::vector<double> expected{1 / std::sqrt(x),
                                     std::exp(x),
                                     std::log(x),
                                     std::sin(x),
                                     std::cos(x),
                                     std::pow(x, 1.5),
                                     std::sqrt(x),
                                     std::exp(x),
                                     x * x,
                                     std::exp(x),
                                     1 / x,
                                     x,
                                     x * x + 1,
                                     0,
                                     std::tanh(x),
                                     1 / x,
                                     1 / std::sqrt(x),
                                     std::pow(10.0, x),
                                     std::sin(x),
                                     std::cos(x),
                                     1,
                                     0,
                                     1,
                                     1};
  const auto actual = results<float>(numbers, "functions", {}, in, expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-6 * std::abs(expected[i])) << "out[" << i << "]";
}

INSTANTIATE_TEST_SUITE_P(Compilers, PreludeNumbers, both_compilers, name_of_compiler);

const std::string warps = source_text("tests/simulator/compile/prelude_warp.cu");

std::vector<int> sequence(int count, const std::function<int(int)>& value) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(value(i));
  return values;
}

// Returns the source lanes of the four shuffles by the CUDA C++ Programming Guide.
std::array<int, 4> source_lanes(int lane, int width, int by) {
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
        for (const int source : source_lanes(thread % 32, width, by))
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
  const auto in = sequence(64, [](int i) { return i < 32 ? i % 5 : 4; });
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
  const auto in = sequence(32, [](int i) { return (i - 11) * 1234567; });
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
  const auto in = sequence(32, [](int i) { return 100 + i; });
  const auto out = results<int>(warps, "halves", {.block = {32}}, in, 32);
  for (std::size_t lane = 0; lane < 16; ++lane) EXPECT_EQ(out[lane], 103);
  for (std::size_t lane = 16; lane < 32; ++lane) EXPECT_EQ(out[lane], 120);
}

TEST_P(PreludeWarp, SynchronisesTheLanesOfAMaskOnly) {
  const auto in = sequence(32, [](int i) { return 100 + i; });
  const auto expected =
      sequence(32, [](int i) { return i < 8 ? 100 + (i + 3) % 8 : 108 + (i - 8 + 3) % 24; });
  EXPECT_EQ(results<int>(warps, "hand_round", {.block = {32}}, in, 32), expected);
}

TEST_P(PreludeWarp, FormsWarpsAlongXThenYOfTheBlock) {
  const auto in = sequence(64, [](int i) { return i * i; });
  int first = 0, second = 0;
  for (std::size_t i = 0; i < 32; ++i) first += in[i], second += in[32 + i];
  EXPECT_EQ(results<int>(warps, "sum_of_warp", {.block = {8, 8}}, in, 2), (std::vector<int>{first, second}));
}

TEST_P(PreludeWarp, DoesNotWaitForLanesThatHaveReturnedOrDoNotExist) {
  const auto in = sequence(64, [](int i) { return i; });
  // The last lane reads one that is not in the mask, which is undefined.
  const auto expected = sequence(19, [](int i) { return i + 1; });
  for (const unsigned threads : {20u, 24u, 32u, 40u}) {
    std::vector<int> out = results<int>(warps, "return_early", {.block = {threads}}, in, 20);
    out.pop_back();
    EXPECT_EQ(out, expected) << threads << " threads";
  }
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

class CooperativeGroups : public SimulatorTest {
 protected:
  // Returns the values that 64 threads store in out[threadIdx.x]; in[i] is i.
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
  for (int t = 0; t < 64; ++t) {
    const int of_warp = t < 32 ? 496 + 10000 : 1520, of_odd_lanes = 1600 + t % 32 / 2;
    EXPECT_EQ(found[t], t % 2 ? of_odd_lanes : of_warp) << t;
  }
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
