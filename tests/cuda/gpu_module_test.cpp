#include "cuda/gpu_fixture.hpp"
#include "cuda/nvrtc.hpp"
#include "test.hpp"

// Tests the promises of the Module and Kernel interfaces on a real GPU. Without one every test is skipped.

namespace gpulab::cuda {
namespace {

TEST_F(CudaDevice, FillsConstantMemory) {
  for (const std::vector<int>& terms : {std::vector<int>{1, 20}, std::vector<int>{300, 4}}) {
    const device::DeviceSymbol symbol = module_->symbol("terms");
    ASSERT_EQ(symbol.bytes, 2 * sizeof(int));
    device_->copy_to_device(symbol.address, std::as_bytes(std::span(terms)), *stream_);
    launch("add_constant", input_, 2, *stream_);
    std::vector<int> expected = numbers_;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += 2 * terms[i % 2];
    EXPECT_EQ(download(output_), expected);
  }
}

TEST_F(CudaDevice, ReadsAVariableBackThatIsStatic) {
  for (int launches = 0; launches < 3; ++launches) launch("add_constant", input_, 2, *stream_);
  const device::DeviceSymbol symbol = module_->symbol("launches");
  ASSERT_EQ(symbol.bytes, sizeof(int));
  std::vector<int> value{-1};
  device_->copy_to_host(std::as_writable_bytes(std::span(value)), symbol.address, *stream_);
  device_->synchronize(*stream_);
  EXPECT_EQ(value[0], 3);
}

TEST_F(CudaDevice, SuggestsTheNearestVariable) {
  const auto error = thrown<device::DeviceError>([&] { module_->symbol("term"); });
  EXPECT_EQ(error.name(), "CUDA_ERROR_NOT_FOUND");
  EXPECT_TRUE(contains(error.explanation(), "did you mean 'terms'?"));
}

TEST_F(CudaDevice, AgreesWithItsCompilerOnWhatAKernelNeeds) {
  for (const char* name : {"add", "add_constant", "use_local", "use_shared"}) {
    const device::KernelAttributes driver = module_->kernel(name, signature)->attributes();
    const auto compiled =
        compiled_kernel(device_->properties().architecture(), kernels_of_gpu_tests, name, signature, cache_);
    ASSERT_TRUE(compiled);
    const device::KernelAttributes* const compiler = &compiled->attributes;
    EXPECT_EQ(driver.registers_per_thread, compiler->registers_per_thread) << name;
    EXPECT_EQ(driver.local_bytes_per_thread, compiler->local_bytes_per_thread) << name;
    EXPECT_EQ(driver.static_shared_bytes, compiler->static_shared_bytes) << name;
    EXPECT_EQ(driver.spill_store_bytes, 0u) << name;
    EXPECT_EQ(driver.spill_load_bytes, 0u) << name;
    EXPECT_EQ(driver.constant_bytes, 2 * sizeof(int)) << name;
  }
}

TEST_F(CudaDevice, GivesABlockAllTheSharedMemoryThatItCanHave) {
  const std::size_t most = device_->properties().shared_bytes_per_block_optin;
  ASSERT_GT(most, device_->properties().shared_bytes_per_block);
  launch("use_shared", input_, 1, *stream_, {.grid = {1}, .block = {512}, .dynamic_shared_bytes = most});
  std::vector<int> expected(numbers_.begin(), numbers_.begin() + 512);
  std::ranges::reverse(expected);
  for (int& number : expected) ++number;
  std::vector<int> actual = download(output_);
  actual.resize(512);
  EXPECT_EQ(actual, expected);
}

TEST_F(CudaDevice, HoldsOneBlockOnEachMultiprocessorWhenItTakesAllSharedMemory) {
  const DeviceProperties& properties = device_->properties();
  EXPECT_EQ(device_->resident_blocks(*module_->kernel("use_shared", signature), 256,
                                     properties.shared_bytes_per_block_optin),
            static_cast<unsigned>(properties.multiprocessors));
}

TEST_F(CudaDevice, CopiesWithinItsMemory) {
  device_->copy_within(output_, input_, (size - 1) * sizeof(int), *stream_);
  device_->copy_within(output_ + (size - 1) * sizeof(int), input_, sizeof(int), *stream_);
  device_->copy_within(0, 0, 0, *stream_);
  std::vector<int> expected = numbers_;
  expected.back() = numbers_.front();
  EXPECT_EQ(download(output_), expected);
}

}  // namespace
}  // namespace gpulab::cuda
