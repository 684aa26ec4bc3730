#include "hip/hiprtc.hpp"

#include "hip/resources_json.hpp"
#include "kernels/kernel_files.hpp"
#include "test.hpp"

namespace gpulab::hip {
namespace {

TEST(AmdArchitecture, IsNamedAsAmdDoes) {
  for (const char* name : {"gfx90a", "gfx1100", "gfx90a:sramecc+:xnack-"})
    EXPECT_TRUE(is_architecture(name)) << name;
  for (const char* name : {"gfx", "sm_90", "gfx90g", "gfx 90", ""})
    EXPECT_FALSE(is_architecture(name)) << name;
}

// hipRTC needs no GPU and no driver. Where it is not installed, these tests are skipped.
class HiprtcTest : public testing::Test {
 protected:
  void SetUp() override {
    if (hiprtc().path.empty()) GTEST_SKIP() << "hipRTC is not installed: " << hiprtc().problem;
  }

  template <class Exception>
  Exception failure_of(const device::KernelSource& source, const std::string& architecture) {
    return thrown<Exception>([&] { code_object(source, architecture, cache_); });
  }

  device::CompileCache cache_;
};

TEST_F(HiprtcTest, KnowsItsVersionAndItsArchitectures) {
  EXPECT_GE(std::stoi(hiprtc().version), 5);
  EXPECT_TRUE(std::ranges::count(hiprtc().architectures, "gfx90a")) << hiprtc().architectures.size();
}

TEST_F(HiprtcTest, MakesACodeObjectWithTheKernelAndItsResources) {
  const device::KernelSource source{
      "mine.cu",
      "#include <cstdint>\n__global__ void reverse(uint32_t* p) {\n  __shared__ uint32_t t[64];\n"
      "  t[threadIdx.x] = p[threadIdx.x];\n  __syncthreads();\n  p[threadIdx.x] = t[63 - threadIdx.x];\n}\n"};
  const Resources needs = resources_for("gfx90a", source, "reverse", signature_of<std::uint32_t*>(), cache_);
  EXPECT_EQ(needs.lds_bytes, 256u);
  EXPECT_EQ(needs.scratch_bytes, 0u);
  EXPECT_GT(needs.vgprs, 0);
  EXPECT_LT(needs.vgprs, 16);
  EXPECT_THROW(resources_for("gfx90a", source, "reverse", signature_of<float*>(), cache_), CompileError);
}

TEST_F(HiprtcTest, ShowsTheFileAndTheLineOfAnError) {
  const auto error = failure_of<CompileError>(
      {"mine.cu", "// one\n__global__ void f(int* p) {\n  p[0] = q;\n}\n"}, "gfx90a");
  EXPECT_STREQ(error.what(), "mine.cu does not compile: line 3: use of undeclared identifier 'q'");
}

TEST_F(HiprtcTest, SurvivesAnArchitectureThatItDoesNotKnow) {
  const auto error = failure_of<device::DeviceError>({"mine.cu", "__global__ void f() {}\n"}, "gfx9999");
  EXPECT_EQ(error.code(), ExitCode::device);
  EXPECT_TRUE(
      contains(error.explanation(), "hipRTC of HIP " + hiprtc().version + " does not know it, only "));
  EXPECT_TRUE(contains(error.explanation(), "gfx90a"));
}

TEST_F(HiprtcTest, HasWarpFunctionsForBothSizesOfMasks) {
  const device::KernelSource source{
      "mine.cu",
      "__global__ void f(unsigned* p) {\n  unsigned x = p[threadIdx.x];\n"
      "  for (int k = 16; k > 0; k /= 2) x += __shfl_down_sync(0xffffffff, x, k);\n"
      "  const unsigned low = __ballot_sync(0xffffffff, x > 1);\n"
      "  static_assert(sizeof(__ballot_sync(0xffffffff, 1)) == 4 && sizeof(__ballot_sync(__activemask(), 1)) == 8);\n"
      "  const unsigned long long all = __ballot_sync(__activemask(), x > 1);\n  __syncwarp();\n"
      "  x = __reduce_max_sync(0xffffffff, x) + __any_sync(0xffffffff, x > 1) + __all_sync(0xffffffffffffffff, x > 1);\n"
      "  __stcs(p + threadIdx.x, __ldcs(p) + __ldcg(p) + x + low + unsigned(all >> 32));\n}\n"};
  EXPECT_NO_THROW(code_object(source, "gfx90a", cache_));
  EXPECT_NO_THROW(code_object(source, "gfx1030", cache_));
}

// Kernel files with instructions of NVIDIA's GPUs.
const std::set<std::string> with_nvidias_instructions{"convolution_tensor_cores.cu", "matmul_async_copies.cu",
                                                      "matmul_by_size.cu",           "matmul_half.cu",
                                                      "matmul_tensor_cores.cu",      "matmul_warpgroups.cu"};

class KernelFileForHiprtc : public testing::TestWithParam<KernelFileCase> {};

TEST_P(KernelFileForHiprtc, CompilesUnlessItHasNvidiasInstructions) {
  if (hiprtc().path.empty()) GTEST_SKIP() << "hipRTC is not installed: " << hiprtc().problem;
  device::CompileCache cache;
  const KernelFileCase& file = GetParam();
  if (!with_nvidias_instructions.contains(file.source.name) && file.must_compile)
    EXPECT_NO_THROW(code_object(file.source, "gfx90a", cache));
  else
    EXPECT_THROW(code_object(file.source, "gfx90a", cache), CompileError);
}

INSTANTIATE_TEST_SUITE_P(Every, KernelFileForHiprtc, testing::ValuesIn(all_kernel_files()),
                         [](const auto& instance) { return test_name(instance.param.source); });

}  // namespace
}  // namespace gpulab::hip
