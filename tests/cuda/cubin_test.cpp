#include <unistd.h>

#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"
#include "device/symbols.hpp"
#include "test.hpp"

// Looks up kernels in machine code that NVRTC has made, for every architecture of the course.

namespace gpulab::cuda {
namespace {

const device::KernelSource plain_source{"mine.cu", source_text("tests/cuda/cubin.cu")};

const Signature scale_signature = signature_of<const float*, float*, int>();
const Signature output_signature = signature_of<float*>();

class Cubin : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!cuda_status().nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
    if (std::string(GetParam()) == "sm_120" && std::stod(nvrtc().version()) < 12.8)
      GTEST_SKIP() << "NVRTC " << nvrtc().version() << " is older than sm_120";
    const auto file = std::filesystem::path(testing::TempDir()) / ("cubin-" + std::to_string(::getpid()));
    std::ofstream(file, std::ios::binary) << nvrtc().compile(plain_source, GetParam()).code;
    symbols_ = device::elf_symbols(file);
    std::filesystem::remove(file);
  }

  std::string find(const std::string& name, const Signature& signature) const {
    return device::find_kernel_symbol(symbols_, plain_source.name, name, signature);
  }
  std::string message_of(const std::string& name, const Signature& signature) const {
    try {
      return "found " + find(name, signature);
    } catch (const CompileError& error) {
      return error.what();
    }
  }

  std::vector<device::ElfSymbol> symbols_;
};

TEST_P(Cubin, HasTheKernelUnderItsMangledName) {
  EXPECT_EQ(find("scale", scale_signature), "_Z5scalePKfPfi");
}

TEST_P(Cubin, HasAnExternCKernelUnderItsOwnName) {
  EXPECT_EQ(find("plain", output_signature), "plain");
}

TEST_P(Cubin, HasKernelsOfAnonymousNamespaces) {
  EXPECT_TRUE(contains(find("hidden", output_signature), "hidden"));
}

TEST_P(Cubin, ShowsTheParametersOfAKernelThatDoesNotFit) {
  EXPECT_EQ(message_of("scale", output_signature),
            "mine.cu: your kernel is scale(const float*, float*, int), the lesson launches scale(float*)");
}

TEST_P(Cubin, DoesNotOfferADeviceFunctionAsAKernel) {
  EXPECT_EQ(message_of("weighted", scale_signature),
            "mine.cu has no kernel weighted(const float*, float*, int); it has hidden, scale");
}

TEST_P(Cubin, HasUsedAndUnusedVariablesAsObjects) {
  const auto bytes = [&](const std::string& name) {
    return device::find_variable(symbols_, plain_source.name, name).bytes;
  };
  EXPECT_EQ(bytes("weights"), 16u);
  EXPECT_EQ(bytes("hidden_weights"), 12u);
  EXPECT_EQ(bytes("unused"), 4u);
  EXPECT_EQ(bytes("inner::nested"), 20u);
  EXPECT_EQ(bytes("nameless"), 24u);
  EXPECT_EQ(bytes("counter"), 4u);
  EXPECT_EQ(bytes("hidden_counter"), 8u);
}

TEST_P(Cubin, HasVariablesThatTheDriverFindsByTheNameInTheSource) {
  EXPECT_EQ(device::find_variable(symbols_, plain_source.name, "weights").name, "weights");
  EXPECT_EQ(device::find_variable(symbols_, plain_source.name, "counter").name, "counter");
}

TEST_P(Cubin, HasTheBytesOfItsConstantMemory) {
  EXPECT_EQ(device::constant_bytes(symbols_), 16u + 12 + 4 + 20 + 24);
}

TEST_P(Cubin, OffersTheVariablesOfTheSourceWhenAnotherIsAskedFor) {
  const auto error =
      thrown<device::DeviceError>([&] { device::find_variable(symbols_, plain_source.name, "x"); });
  for (const char* name : {"weights", "hidden_weights", "inner::nested", "nameless", "counter"})
    EXPECT_TRUE(contains(error.explanation(), name));
  EXPECT_FALSE(contains(error.explanation(), "_Z")) << error.explanation();
}

INSTANTIATE_TEST_SUITE_P(For, Cubin, testing::Values("sm_75", "sm_80", "sm_90", "sm_120"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace gpulab::cuda
