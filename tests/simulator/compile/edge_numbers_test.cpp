#include <bit>

#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::compile {
namespace {

// Arithmetic at the edges, as the CUDA Math API and the PTX manual define it, with both compilers, each at
// the optimisation levels of a fast run and of a check.
class EdgeNumbers : public SimulatorTest {
 protected:
  // Returns the values of the expressions, as double.
  std::vector<double> values(const std::vector<std::string>& expressions, const std::string& head = "") {
    std::string text = head +
                       "__global__ void k(const float* in, double* out) {\n"
                       "  const float zero = in[0], one = in[1], big = in[2], inf = in[3], nan = in[4];\n"
                       "  (void)zero, (void)one, (void)big, (void)inf, (void)nan;\n";
    for (std::size_t i = 0; i < expressions.size(); ++i)
      text += "  out[" + std::to_string(i) + "] = " + expressions[i] + ";\n";
    constexpr float infinity = std::numeric_limits<float>::infinity(),
                    nan = std::numeric_limits<float>::quiet_NaN();
    return results<double, float>(text + "}\n", "k", {.grid = {1}, .block = {1}},
                                  {0, 1, 3e30f, infinity, nan}, expressions.size());
  }

  void expect(const std::vector<std::pair<std::string, double>>& cases, const std::string& head = "") {
    std::vector<std::string> expressions;
    for (const auto& [expression, expected] : cases) expressions.push_back(expression);
    for (const auto instrumentation : {device::Instrumentation::none, device::Instrumentation::checked}) {
      instrumentation_ = instrumentation;
      const std::vector<double> found = values(expressions, head);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [expression, expected] = cases[i];
        EXPECT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(expected))
            << expression << " is " << found[i] << ", not " << expected;
      }
    }
  }
};

TEST_P(EdgeNumbers, BfloatsAreRoundedOnce) {
  const auto value = [](const std::string& bfloat) { return "__bfloat162float(" + bfloat + ")"; };
  expect({{value("__float2bfloat16(one + 0x1p-8f)"), 1},
          {value("__float2bfloat16_ru(one + 0x1p-20f)"), 1.0078125},
          {value("__float2bfloat16(3.4e38f * one)"), std::numeric_limits<double>::infinity()},
          {value("__float2bfloat16_rz(3.4e38f * one)"), 0x1.fep127},
          {value("__float2bfloat16(0x1p-133f * one)"), 0x1p-133},
          {value("__float2bfloat16(0x1p-134f * one)"), 0},
          {value("__int2bfloat16_rn(256 + int(one))"), 256},
          {value("__ull2bfloat16_rn((257ull << 50) + int(one))"), 0x1.02p58},
          {value("__hmul(__float2bfloat16(1.5f * one), __float2bfloat16(1.0078125f))"), 1.515625},
          // Less than halfway between two bfloats, by less than a double can represent.
          {value("__hfma(__float2bfloat16(1.5f * one), __float2bfloat16(1.0078125f), "
                 "__float2bfloat16(-0x1p-100f))"),
           1.5078125},
          {value("__hmax(__float2bfloat16(nan), __float2bfloat16(one))"), 1}},
         "#include <cuda_bf16.h>\n");
}

TEST_P(EdgeNumbers, ConversionsToIntegersSaturate) {
  expect({{"__float2int_rz(big)", 2147483647},
          {"__float2int_rn(-inf)", -2147483648.0},
          {"__float2int_rd(nan)", 0},
          {"__float2uint_rz(-one)", 0},
          {"__float2uint_ru(big)", 4294967295.0},
          {"__float2ll_rn(nan) == (long long)0x8000000000000000", 1},
          {"__float2ull_rn(big) == 0xffffffffffffffff", 1},
          {"__double2int_rn(double(nan))", -2147483648.0},
          {"__double2uint_rn(double(nan))", 2147483648.0},
          {"__double2ll_rz(1e300) == 0x7fffffffffffffff", 1},
          {"llrintf(inf) == 0x7fffffffffffffff", 1},
          {"lround(2.5)", 3},
          {"__float2int_rn(one * 2.5f) * 1000 + __float2int_ru(-2.5f) * 10", 1980}});
}

TEST_P(EdgeNumbers, ArithmeticIsRoundedAsItsNameSays) {
  expect({{"__fadd_ru(one, 1e-20f) - 1", 0x1p-23},
          {"__fadd_rd(one, -1e-20f) - 1", -0x1p-24},
          {"__fadd_rz(-one, 1e-20f) + 1", 0x1p-24},
          {"__fdiv_rd(one, 3) < __fdiv_ru(one, 3)", 1},
          {"__fmul_rz(big, big)", std::numeric_limits<float>::max()},
          {"__frcp_ru(3 * one) > __frcp_rd(3 * one)", 1},
          {"__dadd_ru(1.0 * one, 1e-30) - 1", 0x1p-52},
          {"__fmaf_rd(one, one, -1e-20f) - 1", -0x1p-24},
          {"__int2float_rz(16777217) + zero", 16777216},
          {"__int2float_ru(16777217) + zero", 16777218},
          {"__double2float_rd(-0.1) < -0.1", 1},
          {"__fsqrt_ru(2 * one) > __fsqrt_rd(2 * one)", 1},
          {"one / 3 == __fdiv_rn(one, 3)", 1}});
}

TEST_P(EdgeNumbers, FunnelShiftsWrapOrClampAsTheirNameSays) {
  const std::string head = "__device__ unsigned by(float n) { return (unsigned)n; }\n";
  expect({{"__funnelshift_l(1, 2, by(one * 33)) == __funnelshift_l(1, 2, 1)", 1},
          {"__funnelshift_lc(1, 2, by(one * 32))", 1},
          {"__funnelshift_lc(1, 2, by(one * 99))", 1},
          {"__funnelshift_rc(1, 2, by(one * 40))", 2}},
         head);
}

TEST_P(EdgeNumbers, MinAndMaxOfANumberAndNaNAreTheNumber) {
  expect({{"min(nan, one)", 1},
          {"max(one, nan)", 1},
          {"fminf(one, nan) + fmaxf(nan, one)", 2},
          {"fmin(double(nan), 1.0)", 1},
          {"1 / min(zero, -zero)", -std::numeric_limits<double>::infinity()},
          {"1 / fmaxf(-zero, zero)", std::numeric_limits<double>::infinity()},
          {"max(-1, 1u)", 4294967295.0},
          {"__saturatef(nan)", 0}});
}

TEST_P(EdgeNumbers, LanesOfAWordAreComputedEachOnItsOwn) {
  expect({{"__vadd4(0xff010203u, 0x01010101u)", 0x00020304},
          {"__vaddus4(0xff010203u, 0x01010101u)", 4278321924.0},
          {"__vaddss2(0x7fff0001u, 0x00010001u)", 0x7fff0002},
          {"__vabsdiffu4(0x01ff0305u, 0x02010507u)", 0x01fe0202},
          {"__vcmpgts2(0x0001ffffu, 0x00000000u)", 4294901760.0},
          {"__vsads4(0x01ff0000u, 0xff010000u)", 4},
          {"__vavgs2(0xfffe0003u, 0xffff0004u)", 4294836228.0},
          {"__dp4a(0x01020304, 0x01010101, 5)", 15},
          {"__dp4a((int)0xff000000, 0x02000000, 0)", -2},
          {"__dp2a_lo(0x00020003, 0x00000504, 1)", 23}});
}

TEST_P(EdgeNumbers, HalvesAreRoundedOnce) {
  const std::string head =
      "#include <cuda_fp16.h>\n__device__ double value(__half x) { return __half2float(x); }\n";
  expect({{"value(__float2half(65519.9f))", 65504},
          {"value(__float2half(65520.0f))", std::numeric_limits<double>::infinity()},
          {"value(__float2half_rz(big))", 65504},
          {"value(__float2half(1.0f + 0x1p-11f))", 1},
          {"value(__float2half(1.0f + 3 * 0x1p-11f))", 1 + 0x1p-9},
          {"value(__float2half(0x1p-25f))", 0},
          {"value(__float2half(0x1.8p-25f))", 0x1p-24},
          {"value(__double2half(1.0 + 0x1p-11 + 0x1p-40))", 1 + 0x1p-10},
          {"value(__hfma(__float2half(1 + 0x3p-10f), __float2half(1 + 0x3p-10f), __float2half(-1.0f)))",
           0x6p-10 + 0x1p-17},
          {"value(__hadd(__float2half(one), __float2half(0x1p-11f)))", 1},
          {"value(__float2half(3.0f) * __float2half(7.0f) - __float2half(1.0f))", 20},
          {"__half2int_rn(__float2half(2.5f)) + __half2short_rz(__float2half(inf))", 2 + 32767},
          {"value(__int2half_ru(2049)) + value(__int2half_rd(2049))", 4098},
          {"__hlt(__float2half(one), __float2half(nan)) + __hltu(__float2half(one), __float2half(nan))", 1},
          {"__low2float(__hadd2(__floats2half2_rn(1.0f, 2.0f), __half2half2(__float2half(0.5f))))", 1.5}},
         head);
}

TEST_P(EdgeNumbers, RareFunctionsAreNearTheirMathematicalValues) {
  const auto near = [&](const std::string& call, double expected) {
    const double found = values({call}).front();
    EXPECT_NEAR(found, expected, 4e-14 * std::max(1.0, std::abs(expected))) << call;
  };
  near("sinpi(0.25)", 0.70710678118654752);
  near("sinpi(1e15 + 1)", 0);
  near("cospi(2.5)", 0);
  near("cospi(-1.0)", -1);
  near("erfinv(0.5)", 0.47693627620446987);
  near("erfc(erfinv(1 - 0x1p-20)) * 0x1p20", 1);
  near("erfc(-erfinv(0x1p-20 - 1)) * 0x1p20", 1);
  near("erfcinv(1e-10)", 4.5728249673894853);
  near("erfcinv(1.5)", -0.47693627620446987);
  near("erfcx(3.0)", 0.17900115118138995);
  near("erfcx(30.0)", 0.018795888861416751);
  near("normcdf(1.0)", 0.84134474606854295);
  near("normcdfinv(0.975)", 1.9599639845400542);
  near("cyl_bessel_i0(2.0)", 2.2795853023360673);
  near("cyl_bessel_i1(-2.0)", -1.5906368546373291);
  near("rcbrt(27.0)", 1.0 / 3);
  near("norm4d(1.0, 2.0, 4.0, 10.0)", 11);
  near("norm3d(3e200, 4e200, 0.0) / 1e200", 5);
  near("rhypot(3.0, 4.0)", 0.2);
}

INSTANTIATE_TEST_SUITE_P(Compilers, EdgeNumbers, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::compile
