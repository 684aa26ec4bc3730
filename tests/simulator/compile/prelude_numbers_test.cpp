#include <cmath>
#include <limits>

#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::compile {
namespace {

const std::string numbers = R"(__global__ void count_bits(const int* in, int* out) {
  const int x = in[threadIdx.x];
  const long long wide = (long long)x << 20;
  int* const row = out + threadIdx.x * 8;
  row[0] = __popc(x);
  row[1] = __clz(x);
  row[2] = __ffs(x);
  row[3] = __brev(x);
  row[4] = __popcll(wide);
  row[5] = __clzll(wide);
  row[6] = __ffsll(wide);
  row[7] = __brevll(wide) >> 32;
}

__global__ void arithmetic(const int* in, int* out) {
  const int a = in[0], b = in[1];
  out[0] = __mulhi(a, b);
  out[1] = __umulhi(a, b);
  out[2] = __mul24(a, b);
  out[3] = __umul24(a, b);
  out[4] = __byte_perm(a, b, 0x5140);
  out[5] = __funnelshift_l(a, b, 8);
  out[6] = __funnelshift_r(a, b, 8);
  out[7] = __float_as_int(__int_as_float(a));
  out[8] = __float2int_rn(2.5f) * 1000 + __float2int_rz(-2.5f) * 100 + __float2int_rd(-2.5f) * 10 +
           __float2int_ru(-2.5f);
}

__global__ void least_and_most(const double* in, double* out) {
  const int i = in[0], j = in[1];
  const unsigned u = in[1];
  const long l = in[0];
  const unsigned long ul = in[1];
  const long long ll = in[0] * 1e12;
  const unsigned long long ull = in[1] * 1e12;
  const float f = in[0];
  out[0] = min(i, j), out[1] = max(i, j);
  out[2] = min(i, u), out[3] = max(u, i);
  out[4] = min(ll, 2 * ll), out[5] = max(ull, 2 * ull);
  out[6] = min(f, 2.5f), out[7] = max(f, -0.5f);
  out[8] = min(in[0], 2.5), out[9] = max(f, 1e-50);
  out[10] = min(l, 2 * l), out[11] = max(ul, 2 * ul);
  out[12] = abs(i), out[13] = abs(ll), out[14] = abs(f), out[15] = abs(in[0]);
  out[16] = fabsf(f), out[17] = fminf(f, 1.0f), out[18] = fmax(in[0], 1.0);
}

__global__ void mixed_signs(const double* in, double* out) {
  const long l = in[0];
  const unsigned long ul = in[1];
  const long long ll = in[0];
  const unsigned long long ull = in[1];
  out[0] = min(l, ul), out[1] = max(ul, l), out[2] = min(ull, ll), out[3] = max(ll, ull);
}

__global__ void functions(const float* in, float* out) {
  const float x = in[0];
  out[0] = rsqrtf(x), out[1] = __expf(x), out[2] = __logf(x), out[3] = __sinf(x), out[4] = __cosf(x);
  out[5] = __powf(x, 1.5f), out[6] = sqrtf(x), out[7] = expf(x), out[8] = pow(x, 2.0f), out[9] = exp(x);
  out[10] = __fdividef(1.0f, x), out[11] = __saturatef(x), out[12] = fmaf(x, x, 1.0f), out[13] = floorf(x);
  out[14] = tanhf(x), out[15] = __frcp_rn(x), out[16] = rsqrt(double(x)), out[17] = __exp10f(x);
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  out[18] = sine, out[19] = cosine;
  out[20] = isnan(in[1]), out[21] = isnan(x), out[22] = isinf(in[2]), out[23] = isfinite(x);
}
)";

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
