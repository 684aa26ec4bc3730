#include "cli/program_fixture.hpp"
#include "hip/hiprtc.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class ArchitectureOption : public ProgramTest {};

TEST_F(ArchitectureOption, NamesGpusOfNvidiaOrAmd) {
  for (const char* name : {"gfx", "h100", "sm_90,", "gfx90a sm_90"})
    expect_refusal(simulated({"registers", "--arch", name}), 2, "is no GPU architecture; write sm_90");
}

TEST_F(ArchitectureOption, IsForLessonsWithKernels) {
  expect_refusal(simulated({"runtime-api", "--arch", "sm_90"}), 2, "no variant of runtime-api is one kernel");
}

TEST_F(ArchitectureOption, SaysWhatIsMissingWithoutACompiler) {
  if (!hip::hiprtc().path.empty()) GTEST_SKIP() << "hipRTC is installed";
  expect_refusal(simulated({"registers", "--arch", "gfx90a"}), 4, "apt-get install libamdhip64-5");
}

TEST_F(ArchitectureOption, RefusesAGpuThatTheCompilerDoesNotKnow) {
  if (hip::hiprtc().path.empty()) GTEST_SKIP() << "hipRTC is not installed";
  expect_refusal(simulated({"registers", "--arch", "gfx9999"}), 4, "does not know it");
}

TEST_F(ArchitectureOption, AddsWhatEachKernelTakes) {
  if (hip::hiprtc().path.empty()) GTEST_SKIP() << "hipRTC is not installed";
  const ProgramRun ended =
      run(simulated({"registers", "--size", "1000", "--arch", "gfx90a", "--format", "json"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto variants = nlohmann::json::parse(ended.out)["variants"];
  for (const char* name :
       {"VGPRs on gfx90a", "spilled VGPRs on gfx90a", "scratch on gfx90a", "LDS on gfx90a"})
    EXPECT_TRUE(contains(variants[0].dump(), name));
  EXPECT_FALSE(contains(ended.out, "sm_75"));
}

TEST_F(ArchitectureOption, NamesKernelsThatDoNotCompileForIt) {
  if (hip::hiprtc().path.empty()) GTEST_SKIP() << "hipRTC is not installed";
  write("first_kernel.cu",
        "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
        "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (item < size && __match_any_sync(0xffffffff, 1) != 0) C[item] = A[item] + B[item];\n}\n");
  const ProgramRun ended =
      run(simulated({"first-kernel", "--variant", "global-index", "--kernels", ".", "--arch", "gfx90a"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "not shown for gfx90a: ./first_kernel.cu does not compile: line 3: "));
}

}  // namespace
}  // namespace gpulab::cli
