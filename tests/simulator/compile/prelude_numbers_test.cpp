#include <cmath>
#include <limits>

#include "simulator/simulator_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::compile {
namespace {

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

}  // namespace
}  // namespace gpulab::simulator::compile
