#include "cuda/gpu_fixture.hpp"
#include "test.hpp"

// Tests the promises of the Device interface on a real GPU. Without one every test is skipped.

namespace gpulab::cuda {
namespace {

TEST_F(CudaDevice, KnowsItsProperties) {
  const DeviceProperties& properties = device_->properties();
  EXPECT_EQ(properties.kind, "cuda");
  EXPECT_FALSE(properties.name.empty());
  EXPECT_TRUE(properties.architecture().starts_with("sm_"));
  EXPECT_GT(properties.multiprocessors, 0);
  EXPECT_EQ(properties.max_threads_per_block, 1024u);
  EXPECT_EQ(properties.shared_bytes_per_block, 48u * 1024);
  EXPECT_GT(properties.free_memory_bytes, 0u);
  EXPECT_LE(properties.free_memory_bytes, properties.memory_bytes);
  EXPECT_TRUE(properties.compiler_version.starts_with("NVRTC 1"));
}

TEST_F(CudaDevice, IsListedAmongTheDevices) {
  EXPECT_EQ(cuda_devices().at(0).name, device_->properties().name);
}

TEST_F(CudaDevice, ReturnsWhatWasCopiedToIt) {
  EXPECT_EQ(download(input_), numbers_);
}

TEST_F(CudaDevice, CopiesFromAndToPinnedMemory) {
  std::vector<int> host = numbers_plus(5);
  const auto bytes = std::as_writable_bytes(std::span(host));
  device_->pin(bytes);
  device_->copy_to_device(output_, bytes, *stream_);
  device_->synchronize(*stream_);
  std::ranges::fill(host, 0);
  device_->copy_to_host(bytes, output_, *stream_);
  device_->synchronize(*stream_);
  device_->unpin(bytes);
  EXPECT_EQ(host, numbers_plus(5));
}

TEST_F(CudaDevice, AcceptsSizesOfZero) {
  EXPECT_EQ(device_->allocate(0), 0u);
  device_->free(0);
  device_->pin({});
  device_->unpin({});
  device_->copy_to_device(0, {}, *stream_);
  device_->copy_to_host({}, 0, *stream_);
  device_->set(0, 1, 0, *stream_);
  EXPECT_NO_THROW(device_->synchronize(*stream_));
}

TEST_F(CudaDevice, SetsEveryByteAndNoOther) {
  device_->set(input_ + 4, 0xFF, (size - 2) * sizeof(int), *stream_);
  std::vector<int> expected(size, -1);
  expected.front() = numbers_.front();
  expected.back() = numbers_.back();
  EXPECT_EQ(download(input_), expected);
}

TEST_F(CudaDevice, SaysHowMuchMemoryWasAskedForWhenThereIsNotEnough) {
  const auto error = thrown<device::DeviceError>([&] { device_->allocate(std::size_t{1} << 50); });
  EXPECT_EQ(error.name(), "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_TRUE(contains(error.explanation(), "1125899906842624 bytes asked for"));
}

TEST_F(CudaDevice, RunsAKernel) {
  launch("add", input_, 3, *stream_);
  EXPECT_EQ(download(output_), numbers_plus(3));
}

TEST_F(CudaDevice, ReadsTheArgumentsBeforeTheLaunchReturns) {
  launch("add_slowly", input_, 1, *stream_);  // its arguments are gone before it ends
  launch("add", input_, 2, *stream_);
  EXPECT_EQ(download(output_), numbers_plus(2));
}

TEST_F(CudaDevice, GivesTheSameResultFromACachedModule) {
  launch("add", input_, 3, *stream_);
  const std::vector<int> first = download(output_);
  module_ = device_->compile(kernels_of_gpu_tests, {});
  device_->set(output_, 0xFF, size * sizeof(int), *stream_);
  launch("add", input_, 3, *stream_);
  EXPECT_EQ(download(output_), first);
}

TEST_F(CudaDevice, KnowsWhatAKernelNeeds) {
  const auto kernel = module_->kernel("add", signature);
  EXPECT_GT(kernel->attributes().registers_per_thread, 0);
  EXPECT_EQ(kernel->attributes().static_shared_bytes, 0u);
  EXPECT_EQ(kernel->attributes().max_threads_per_block, 1024u);
}

TEST_F(CudaDevice, HoldsFewerBlocksWhenTheyTakeSharedMemory) {
  const auto kernel = module_->kernel("use_shared", signature);
  const unsigned multiprocessors = device_->properties().multiprocessors;
  const unsigned without = device_->resident_blocks(*kernel, 256, 0);
  EXPECT_EQ(without, device_->properties().max_threads_per_multiprocessor / 256 * multiprocessors);
  EXPECT_LT(device_->resident_blocks(*kernel, 256, 48 * 1024), without);
}

TEST_F(CudaDevice, RefusesABlockOfTooManyThreads) {
  EXPECT_EQ(refusal_of({.grid = {1}, .block = {1025}}),
            "CUDA_ERROR_INVALID_VALUE: a block has at most 1024 threads, not 1025");
}

TEST_F(CudaDevice, RefusesAnEmptyGrid) {
  EXPECT_EQ(refusal_of({.grid = {0}, .block = {32}}),
            "CUDA_ERROR_INVALID_VALUE: a grid needs at least one block");
}

TEST_F(CudaDevice, RefusesMoreSharedMemoryThanABlockCanHave) {
  const std::size_t most = device_->properties().shared_bytes_per_block_optin;
  EXPECT_GE(most, 64u * 1024);
  EXPECT_EQ(refusal_of({.grid = {1}, .block = {32}, .dynamic_shared_bytes = most + 4}),
            "CUDA_ERROR_INVALID_VALUE: a block has at most " + std::to_string(most) +
                " bytes of shared memory, not 0 static and " + std::to_string(most + 4) + " dynamic");
}

TEST_F(CudaDevice, LaunchesBlocksThatWaitForEachOtherOnlyWhenAllOfThemFit) {
  const auto kernel = module_->kernel("use_shared", signature);
  const unsigned most = device_->resident_blocks(*kernel, 1024, 4096);
  LaunchConfig config{.grid = {most}, .block = {1024}, .dynamic_shared_bytes = 4096, .cooperative = true};
  EXPECT_EQ(refusal_of(config), "not refused");
  config.grid.x = most + 1;
  EXPECT_EQ(
      refusal_of(config),
      "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: blocks that wait for each other all have to run at once: "
      "this GPU holds " +
          std::to_string(most) + " of this kernel, not " + std::to_string(most + 1));
}

TEST_F(CudaDevice, GoesOnAfterARefusedLaunch) {
  refusal_of({.grid = {1}, .block = {1025}});
  launch("add", input_, 4, *stream_);
  EXPECT_EQ(download(output_), numbers_plus(4));
}

TEST_F(CudaDevice, GivesDynamicSharedMemoryToAKernel) {
  launch("use_shared", input_, 0, *stream_,
         {.grid = {1}, .block = {512}, .dynamic_shared_bytes = 512 * sizeof(int)});
  std::vector<int> expected(numbers_.begin(), numbers_.begin() + 512);
  std::ranges::reverse(expected);
  std::vector<int> actual = download(output_);
  actual.resize(512);
  EXPECT_EQ(actual, expected);
}

TEST_F(CudaDevice, MeasuresTimeBetweenEventsInSeconds) {
  const auto start = device_->create_event(), stop = device_->create_event();
  device_->record(*start, *stream_);
  launch("add_slowly", input_, 1, *stream_);
  device_->record(*stop, *stream_);
  device_->synchronize(*stream_);
  // 20 million clocks in every block's turn take more than 2 ms even at 10 GHz, and no GPU needs 10 s.
  EXPECT_GT(device_->elapsed(*start, *stop), 2e-3);
  EXPECT_LT(device_->elapsed(*start, *stop), 10.0);
}

TEST_F(CudaDevice, LetsAStreamWaitForAnEventOfAnother) {
  const auto second = device_->create_stream();
  const auto done = device_->create_event();
  std::vector<int> host(size, -7);
  const auto bytes = std::as_writable_bytes(std::span(host));
  device_->pin(bytes);
  launch("add_slowly", input_, 9, *stream_);
  device_->record(*done, *stream_);
  device_->wait(*second, *done);
  device_->copy_to_host(bytes, output_, *second);
  device_->synchronize(*second);
  device_->unpin(bytes);
  EXPECT_EQ(host, numbers_plus(9));
}

TEST_F(CudaDevice, DisturbsNoDataWhenItEvictsTheCaches) {
  launch("add", input_, 6, *stream_);
  device_->evict_caches(*stream_);
  device_->evict_caches(*stream_);
  EXPECT_EQ(download(output_), numbers_plus(6));
  EXPECT_EQ(download(input_), numbers_);
}

TEST_F(CudaDevice, TakesAtMostTwiceItsL2CacheToEvictTheCaches) {
  const std::size_t before = cuda_devices().front().free_memory_bytes;
  device_->evict_caches(*stream_);
  device_->synchronize(*stream_);
  const std::size_t after = cuda_devices().front().free_memory_bytes;
  EXPECT_LE(before - std::min(before, after), 2 * device_->properties().l2_bytes + (std::size_t{64} << 20));
}

TEST_F(CudaDevice, RefusesAnIndexThatIsOutOfRange) {
  const auto error = thrown<device::DeviceError>([&] { open_cuda_device(1000, cache_); });
  EXPECT_EQ(error.name(), "CUDA_ERROR_INVALID_DEVICE");
  EXPECT_EQ(error.code(), ExitCode::device);
}

TEST_F(CudaDevice, RefusesAKernelThatDoesNotCompile) {
  EXPECT_THROW(device_->compile({"bad.cu", "__global__ void f() { nonsense }"}, {}), CompileError);
  EXPECT_THROW(module_->kernel("no_such_kernel", signature), CompileError);
}

TEST_F(CudaDevice, LetsStreamsEventsAndModulesOutliveIt) {
  const auto event = device_->create_event();
  device_->free(input_);
  device_->free(output_);
  device_.reset();
  EXPECT_NO_THROW(module_.reset());
  EXPECT_NO_THROW(stream_.reset());
}

}  // namespace
}  // namespace gpulab::cuda
