#include "cli/program_fixture.hpp"
#include "cuda/driver_api.hpp"
#include "cuda/support.hpp"
#include "test.hpp"

// The device for AMD's GPUs, on a libamdhip64 of tests (tests/cuda/fake_hip.cpp) that runs kernels on the
// CPU.

namespace gpulab::cuda {
namespace {

TEST(HipName, IsCudasNameByARuleWithExceptions) {
  EXPECT_EQ(hip_name("cuInit"), "hipInit");
  EXPECT_EQ(hip_name("cuMemcpyHtoDAsync_v2"), "hipMemcpyHtoDAsync");
  EXPECT_EQ(hip_name("cuMemAlloc_v2"), "hipMalloc");
  EXPECT_EQ(hip_name("cuDeviceGetCount"), "hipGetDeviceCount");
  EXPECT_EQ(hip_name("cuLaunchKernel"), "hipModuleLaunchKernel");
}

TEST(HipError, LeavesTheDeviceUsableIfNothingRan) {
  const auto is_lost = [](const char* name) {
    return device::DeviceError("call", name, "").leaves_device_unusable();
  };
  for (const char* name : {"hipErrorOutOfMemory", "hipErrorInvalidValue", "hipErrorNotFound",
                           "HIPRTC_ERROR_INTERNAL_ERROR", "NVRTC_ERROR_INVALID_OPTION"})
    EXPECT_FALSE(is_lost(name)) << name;
  for (const char* name : {"hipErrorLaunchFailure", "hipErrorIllegalAddress", "hipErrorLaunchTimeOut"})
    EXPECT_TRUE(is_lost(name)) << name;
}

class HipDevice : public cli::ProgramTest {
 protected:
  // Returns the folder of the fake: beside the tests, where other tests do not find it.
  static std::filesystem::path fake_rocm() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_rocm";
  }

  void SetUp() override {
    ProgramTest::SetUp();
    if (!std::filesystem::exists(fake_rocm())) GTEST_SKIP() << fake_rocm() << " is not there";
  }

  Environment with_fake(Environment more = {}) const {
    more.insert({"ROCM_PATH", fake_rocm().string()});
    more.insert({"FAKE_HIP_LOG", (folder / "calls").string()});
    return more;
  }

  std::string calls() const { return content_of(folder / "calls"); }
};

std::vector<std::string> on_hip(std::vector<std::string> words) {
  words.insert(words.end(), {"--device", "hip"});
  return words;
}

TEST_F(HipDevice, RunsTheFirstLessonsAndShowsNoTimes) {
  for (const char* lesson : {"first-kernel", "arbitrary-size", "vector-multiply", "primes"}) {
    const cli::ProgramRun ended = run(on_hip({lesson, "--size", "1000", "--format", "json"}), with_fake());
    ASSERT_EQ(ended.exit_code, 0) << lesson << "\n" << ended.err;
    EXPECT_TRUE(contains(ended.err, "we have not tried it on an AMD GPU"));
    const auto document = nlohmann::json::parse(ended.out);
    EXPECT_EQ(document["device"]["kind"], "hip");
    for (const auto& variant : document["variants"]) {
      EXPECT_EQ(variant["as_expected"], true) << variant.dump();
      EXPECT_TRUE(variant["timings"]["kernel_cold"].is_null()) << variant.dump();
    }
  }
}

TEST_F(HipDevice, LaunchesByHipsFunctions) {
  const cli::ProgramRun ended = run(on_hip({"first-kernel", "--variant", "global-index"}), with_fake());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* time : {"cold", "CPU time", "GB/s"}) EXPECT_FALSE(contains(ended.out, time)) << ended.out;
  const std::string sequence = calls();
  std::size_t at = 0;
  for (const char* call : {"hipInit\n", "hipDevicePrimaryCtxRetain\n", "hipMalloc\n", "hipModuleLoad\n",
                           "hipModuleGetFunction\n", "hipModuleLaunchKernel\n", "hipMemcpyDtoHAsync\n",
                           "hipDevicePrimaryCtxRelease\n"}) {
    const std::size_t found = sequence.find(call, at);
    EXPECT_NE(found, std::string::npos) << call << " is missing in\n" << sequence;
    if (found != std::string::npos) at = found;
  }
}

TEST_F(HipDevice, FindsAWrongResult) {
  write(
      "first_kernel.cu",
      "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
      "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n  if (item < size) C[item] = A[item] - B[item];\n}\n");
  const cli::ProgramRun ended =
      run(on_hip({"first-kernel", "--variant", "global-index", "--kernels", "."}), with_fake());
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
}

TEST_F(HipDevice, KeepsWhatADriverPrintsOutOfDocuments) {
  const auto environment = with_fake({{"FAKE_HIP_PRINTS", "{}::error::owned\n"}});
  const std::vector<std::string> words = on_hip({"first-kernel", "--variant", "global-index"});
  const cli::ProgramRun as_text = run(words, environment);
  EXPECT_TRUE(contains(as_text.out, "printed by the kernel of global-index:\n  {}::error::owned\n"));
  auto as_json = words;
  as_json.insert(as_json.end(), {"--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(run(as_json, environment).out)["exit_code"], 0);
}

TEST_F(HipDevice, ShowsTheLineOfAnErrorInAKernel) {
  write("first_kernel.cu", "\n__global__ void vector_add_global_index(float* C) { C[0] = nothing; }\n");
  const cli::ProgramRun ended =
      run(on_hip({"first-kernel", "--variant", "global-index", "--kernels", "."}), with_fake());
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out + ended.err, "line 2")) << ended.out << ended.err;
}

// Lets each call fail in turn: the command ends with one of its exit codes, and its message names the error.
TEST_F(HipDevice, EndsWithAMessageWhicheverCallFails) {
  run(on_hip({"first-kernel", "--variant", "global-index"}), with_fake());
  const std::string sequence = calls();
  const auto count = std::count(sequence.begin(), sequence.end(), '\n');
  ASSERT_GT(count, 30);
  int reported = 0;
  for (int number = 1; number <= count; ++number) {
    const cli::ProgramRun ended = run(on_hip({"first-kernel", "--variant", "global-index"}),
                                      with_fake({{"FAKE_HIP_FAIL", std::to_string(number)}}));
    ASSERT_TRUE(ended.exit_code == 0 || ended.exit_code == 1 || ended.exit_code == 4)
        << "call " << number << ": " << ended.exit_code << "\n"
        << ended.err;
    if (ended.exit_code == 0) continue;  // a call that frees, or that only describes the GPU
    EXPECT_TRUE(contains(ended.out + ended.err, "failed with hipErrorUnknown: the fake was told to fail") ||
                contains(ended.out + ended.err, "this machine has no AMD GPU"))
        << "call " << number << "\n"
        << ended.out << ended.err;
    ++reported;
  }
  EXPECT_GT(reported, 15);
}

TEST_F(HipDevice, SaysThatThereIsNoAmdGpu) {
  const cli::ProgramRun ended = run(on_hip({"first-kernel"}), with_fake({{"FAKE_HIP_GPUS", "0"}}));
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(contains(ended.err, "this machine has no AMD GPU that HIP can use"));
}

TEST_F(HipDevice, SaysWhatIsMissingOnThisMachine) {
  const cli::ProgramRun ended = run(on_hip({"first-kernel"}));
  if (ended.exit_code == 0) GTEST_SKIP() << "this machine has an AMD GPU";
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(contains(ended.err, "this machine has no AMD GPU that HIP can use") ||
              contains(ended.err, "there is no HIP, AMD's library, on this machine"))
      << ended.err;
}

TEST_F(HipDevice, IsRefusedByCommandsThatMeasureTimes) {
  expect_refusal({"bench", "first-kernel", "--device", "hip"}, 2, "hip");
  expect_refusal({"limits", "--device", "hip"}, 2, "hip");
}

TEST_F(HipDevice, ShowsNoTransfersAndNoClaimAboutTimes) {
  const cli::ProgramRun ended =
      run(on_hip({"coalescing", "--size", "2^20", "--format", "json"}), with_fake());
  const auto document = nlohmann::json::parse(ended.out);
  EXPECT_TRUE(document["transfers"].is_null()) << document["transfers"].dump();
  ASSERT_FALSE(document["claims"].empty());
  for (const auto& claim : document["claims"])
    EXPECT_TRUE(claim["verdict"] == "not_measured" || claim["verdict"] == "needs_simulator") << claim.dump();
}

TEST_F(HipDevice, IsListedByDoctor) {
  const cli::ProgramRun one = run({"doctor"}, with_fake());
  EXPECT_TRUE(contains(one.out, "AMD GPUs: 1, HIP 5.2; we have not tried it on an AMD GPU"));
  const cli::ProgramRun none = run({"doctor"}, with_fake({{"FAKE_HIP_GPUS", "0"}}));
  EXPECT_TRUE(contains(none.out, "this machine has no AMD GPU that HIP can use"));
}

}  // namespace
}  // namespace gpulab::cuda
