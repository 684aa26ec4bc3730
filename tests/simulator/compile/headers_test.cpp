#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::compile {
namespace {

// Headers that a file may include, and names that it has without them.
class HeadersTest : public SimulatorTest {
 protected:
  // Returns out[0] after a kernel with that text.
  int result(const std::string& text) {
    return results<int, int>(text, "k", {.grid = {1}, .block = {1}}, {3}, 1).front();
  }

  std::string refusal(const std::string& text, device::Instrumentation instrumentation = {}) {
    try {
      device().compile({"mine.cu", text}, {.instrumentation = instrumentation});
    } catch (const CompileError& error) {
      EXPECT_FALSE(contains(error.log(), "prelude.cuh")) << error.log();
      return error.what();
    }
    return "accepted";
  }
};

TEST_P(HeadersTest, OfCudaAndOfNumbersAndTypesAreAccepted) {
  EXPECT_EQ(result(R"(#include <cuda_runtime.h>
#include "device_launch_parameters.h"
#include <cstdint>
#include <cmath>
#include <cassert>
#include <stdio.h>
#include <limits>
#include <type_traits>
#include <math_constants.h>
__global__ void k(const int* in, int* out) {
  static_assert(sizeof(std::uint64_t) == 8 && std::is_same<int, int32_t>::value && std::is_integral_v<uint8_t>);
  const float most = std::numeric_limits<float>::max();
  out[0] = most < CUDART_INF_F && std::sqrt(16.0f) == 4 && std::min(*in, 9) == 3 && M_PI > 3 ? INT_MAX : 0;
})"),
            2147483647);
}

TEST_P(HeadersTest, NeedNotBeIncludedForTheNamesThatNvccHas) {
  EXPECT_EQ(result("__global__ void k(const int* in, int* out) {\n"
                   "  const uint n = *in; const size_t bytes = sizeof(ushort);\n"
                   "  out[0] = in != NULL && floor(n / 2) == 1 && sqrt(n * 3) == 3 && pow(2, n) == 8 ? bytes "
                   ": 0;\n}\n"),
            2);
}

TEST_P(HeadersTest, NeedNotBeIncludedForAListInBraces) {
  for (const char* include : {"", "#include <initializer_list>\n"})
    EXPECT_EQ(result(std::string(include) +
                     "__global__ void k(const int* in, int* out) {\n"
                     "  out[0] = 0;\n  for (const int factor : {2, 3, 5}) out[0] += factor;\n}\n"),
              10);
}

TEST_P(HeadersTest, OfTheHostAreRefusedByTheirNamesUnlessGuarded) {
  EXPECT_TRUE(contains(refusal("\n#include <vector>\n"), "line 2: there is no vector for device code"));
  EXPECT_EQ(refusal("#ifndef __CUDACC_RTC__\n#include <vector>\n#endif\n__global__ void k() {}\n"),
            "accepted");
}

TEST_P(HeadersTest, AreNamedWhereANameOfTheirsIsMissing) {
  EXPECT_TRUE(
      contains(refusal("__global__ void k() {\n  __half x;\n}\n"), "#include <cuda_fp16.h> declares it"));
  EXPECT_TRUE(contains(refusal("__global__ void k() {\n  __nv_bfloat16 x;\n}\n"),
                       "#include <cuda_bf16.h> declares it"));
}

TEST_P(HeadersTest, GuardedCodeIsThatOfADevice) {
  EXPECT_EQ(result(R"(
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return 0; }
#endif
__global__ void k(const int* in, int* out) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  out[0] = 1;
#else
  out[0] = 2;
#endif
})"),
            1);
}

TEST_P(HeadersTest, MessagesNameTheLinesOfTheFileAlone) {
  const std::string head =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(float* p) {\n  ";
  for (const auto& [line, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"atomicAdd(p, \"x\");", "atomicAdd"},
           {"float x = __shfl_sync(0xffffffff, 1.0f);", "__shfl_sync"},
           {"int x = min(1, \"a\");", "min"},
           {"int4 v; v = __shfl_sync(0xffffffff, v, 0);", "moves at most 8 bytes"},
           {"auto tile = cg::tiled_partition<24>(cg::this_thread_block());",
            "a tile has 1, 2, 4, 8, 16 or 32"},
           {"float x = __ldg(*p);", "__ldg"}}) {
    const std::string refused = refusal(head + line + "\n}\n");
    EXPECT_TRUE(contains(refused, "mine.cu does not compile: line 4: ")) << line;
    EXPECT_TRUE(contains(refused, sentence)) << line;
  }
}

TEST_P(HeadersTest, AVariableWithoutAValueIsRefusedIfItIsCertainlyRead) {
  EXPECT_TRUE(contains(refusal("__global__ void k(float* p) {\n  float x;\n  p[0] = x;\n}\n",
                               device::Instrumentation::checked),
                       "line 3: x is used before it has a value"));
  EXPECT_EQ(
      refusal("__global__ void k(float* p, int n) {\n  float x;\n  if (n) x = 2;\n  if (n) p[0] = x;\n}\n",
              device::Instrumentation::checked),
      "accepted");
}

// clang++ is certain that this variable has no value, g++ is not.
TEST_P(HeadersTest, AVariableWithoutAValueIsNotZeroByChance) {
  instrumentation_ = device::Instrumentation::checked;
  const std::string text =
      "__global__ void k(const int* in, int* out) {\n  int sum;\n"
      "  for (int i = 0; i < *in; ++i) sum += in[0];\n  out[0] = sum;\n}\n";
  if (GetParam() == "clang++") {
    EXPECT_TRUE(contains(refusal(text, instrumentation_), "line 3: sum is used before it has a value"));
    return;
  }
  EXPECT_NE(result(text), 9);
  const std::vector<std::string> notes = instruments().take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes.front(), "sum may be used before it has a value"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, HeadersTest, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::compile
