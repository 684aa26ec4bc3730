#include "cuda/nvrtc.hpp"

#include <gtest/gtest.h>

#include "cuda/support.hpp"

// What NVRTC and its ptxas say of real kernels, which takes no GPU.

namespace gpulab::cuda {
namespace {

const device::KernelSource kernels{"mine.cu", R"(
__constant__ float factors[100];
__global__ void vector_add(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
__global__ void indexed_at_run_time(const float* A, const float* B, float* C, int size) {
  float bins[64];
  for (int i = 0; i < 64; ++i) bins[i] = 0;
  for (int i = 0; i < size; ++i) bins[i & 63] += A[i];
  C[threadIdx.x] = bins[size & 63] * factors[threadIdx.x];
}
__global__ void __launch_bounds__(1024) too_many_values(const float* A, const float* B, float* C, int size) {
  __shared__ float sums[10];
  float values[100];
#pragma unroll
  for (int i = 0; i < 100; ++i) values[i] = A[i * size + threadIdx.x];
  if (threadIdx.x < 10) sums[threadIdx.x] = values[0];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 100; ++i)
    C[i * size + threadIdx.x] = values[99 - i] * values[(i * 7) % 100] + sums[i / 10];
}
)"};

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
