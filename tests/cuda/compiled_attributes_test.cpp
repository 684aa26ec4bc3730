#include "cuda/nvrtc.hpp"

#include <gtest/gtest.h>

#include "cuda/support.hpp"
#include "source_files.hpp"

// What NVRTC and its ptxas say of real kernels, which takes no GPU.

namespace gpulab::cuda {
namespace {

const device::KernelSource kernels{"mine.cu", source_text("tests/cuda/compiled_attributes.cu")};

const Signature signature = signature_of<const float*, const float*, float*, int>();

class CompiledAttributes : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!support().status().nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
  }

  device::KernelAttributes attributes_of(const std::string& kernel) {
    return support().attributes_for(GetParam(), kernels, kernel, signature, cache_).value();
  }

  device::CompileCache cache_;
};

TEST_P(CompiledAttributes, CountAFewRegistersForAPlainVectorAdd) {
  const device::KernelAttributes attributes = attributes_of("vector_add");
  EXPECT_GE(attributes.registers_per_thread, 8);  // three addresses of 64 bits, and what they are made of
  EXPECT_LE(attributes.registers_per_thread, 16);
  EXPECT_EQ(attributes.local_bytes_per_thread, 0u);
  EXPECT_EQ(attributes.spill_store_bytes, 0u);
  EXPECT_EQ(attributes.spill_load_bytes, 0u);
  EXPECT_EQ(attributes.static_shared_bytes, 0u);
}

TEST_P(CompiledAttributes, HaveAnArrayWithARunTimeIndexInLocalMemory) {
  const device::KernelAttributes attributes = attributes_of("indexed_at_run_time");
  EXPECT_EQ(attributes.local_bytes_per_thread, 64 * sizeof(float));
  EXPECT_EQ(attributes.spill_store_bytes, 0u);
}

TEST_P(CompiledAttributes, TellWhatIsSpilledWhenThereAreTooFewRegisters) {
  const device::KernelAttributes attributes = attributes_of("too_many_values");
  EXPECT_LE(attributes.registers_per_thread, 64);  // 65536 for 1024 threads
  EXPECT_GT(attributes.local_bytes_per_thread, 0u);
  EXPECT_GT(attributes.spill_store_bytes.value(), 0u);
  EXPECT_GT(attributes.spill_load_bytes.value(), 0u);
  EXPECT_EQ(attributes.static_shared_bytes, 10 * sizeof(float));
}

TEST_P(CompiledAttributes, HaveTheConstantMemoryOfTheFile) {
  EXPECT_EQ(attributes_of("indexed_at_run_time").constant_bytes, 100 * sizeof(float));
}

TEST_P(CompiledAttributes, AreTheSameFromTheCache) {
  const device::KernelAttributes first = attributes_of("too_many_values"),
                                 second = attributes_of("too_many_values");
  EXPECT_EQ(first.registers_per_thread, second.registers_per_thread);
  EXPECT_EQ(first.spill_load_bytes, second.spill_load_bytes);
}

TEST_P(CompiledAttributes, NeedAKernelThatIsThereAndCompiles) {
  EXPECT_THROW(attributes_of("vector_sub"), CompileError);
  const auto of_text = [&](const char* text) {
    return support().attributes_for(GetParam(), {"bad.cu", text}, "f", signature, cache_);
  };
  EXPECT_THROW(of_text("__global__ void f() { nonsense }"), CompileError);
}

INSTANTIATE_TEST_SUITE_P(For, CompiledAttributes, testing::Values("sm_75", "sm_80", "sm_90"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace gpulab::cuda
