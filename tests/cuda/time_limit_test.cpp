#include <gtest/gtest.h>

#include <cstdlib>

#include "cuda/support.hpp"
#include "lesson/handles.hpp"

namespace gpulab::cuda {
namespace {

// A kernel that does not end takes the driver with it: this needs a process of its own.
TEST(TimeLimitFaultsOnGpu, GiveUpAKernelThatDoesNotEnd) {
  if (support().status().devices == 0) GTEST_SKIP() << "no GPU";
  ::setenv("GPULAB_TIME_LIMIT", "2", 1);
  device::CompileCache cache;
  const auto device = support().open(0, cache);
  const auto module = device->compile(
      {"endless.cu", "__global__ void wait(int* flag) {\n  while (atomicAdd(flag, 0) == 0);\n}\n"}, {});
  const auto kernel = module->kernel("wait", signature_of<int*>());
  const device::DevicePointer flag = device->allocate(sizeof(int));
  const auto stream = device->create_stream();
  device->set(flag, 0, sizeof(int), *stream);
  std::uint64_t argument = flag;
  void* arguments[] = {&argument};
  device->launch(*kernel, {.grid = {1}, .block = {32}}, arguments, *stream);
  try {
    device->synchronize(*stream);
    FAIL() << "it ended";
  } catch (const device::DeviceError& error) {
    EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_TIMEOUT");
    EXPECT_EQ(error.failure().kind, DefectKind::time_limit);
    EXPECT_TRUE(error.explanation().starts_with("2 s after its launch")) << error.explanation();
  }
}

}  // namespace
}  // namespace gpulab::cuda
