#include "cuda/support.hpp"

#include "cuda/device.hpp"
#include "cuda/properties.hpp"
#include "lesson/handles.hpp"
#include "test.hpp"

// Tests the messages of the cuda device on a machine that lacks what it needs.

namespace gpulab::cuda {
namespace {

device::DeviceError failure_to_open(int index) {
  device::CompileCache cache;
  return thrown<device::DeviceError>([&] { open_cuda_device(index, cache); });
}

TEST(Status, HasAReasonExactlyWhenThereIsNoGpu) {
  const Status status = cuda_status();
  EXPECT_EQ(status.driver_problem.empty(), status.devices > 0) << status.driver_problem;
  EXPECT_TRUE(status.devices == 0 || !status.driver_version.empty());
  EXPECT_TRUE(status.driver_found || status.driver_version.empty());
}

TEST(Status, KnowsTheVersionAndThePathOfNvrtcExactlyWhenItIsThere) {
  const Status status = cuda_status();
  EXPECT_EQ(status.nvrtc_version.empty(), !status.nvrtc_found);
  EXPECT_EQ(status.nvrtc_path.empty(), !status.nvrtc_found);
}

TEST(Status, ListsNoMoreDevicesThanTheDriverOffers) {
  EXPECT_LE(cuda_devices().size(), static_cast<std::size_t>(cuda_status().devices));
}

TEST(WithoutAGpu, OpeningADeviceNamesCudasErrorAndWhatToDo) {
  const Status status = cuda_status();
  if (status.devices > 0) GTEST_SKIP() << "this machine has a GPU";
  const device::DeviceError error = failure_to_open(0);
  EXPECT_EQ(error.code(), ExitCode::device);
  EXPECT_TRUE(error.name().starts_with("CUDA_ERROR_")) << error.name();
  EXPECT_EQ(std::string(error.what()), status.driver_problem);
  if (!status.driver_found) {
    EXPECT_EQ(error.name(), "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("there is no NVIDIA driver on this machine (--device simulator needs none)"))
        << error.what();
    EXPECT_TRUE(error.explanation().starts_with("libcuda.so.1: ")) << error.explanation();
  }
}

TEST(CudaProperties, ComputesThePeakOfDoubleDataRateMemory) {
  // NVIDIA T4: 5001 MHz, 256 bits; the data sheet says 320 GB/s.
  EXPECT_DOUBLE_EQ(theoretical_peak(5.001e9, 256), 320.064e9);
  // NVIDIA H200: 3201 MHz, 6144 bits; the data sheet says 4.8 TB/s, with a slower clock.
  EXPECT_DOUBLE_EQ(theoretical_peak(3.201e9, 6144), 4916.736e9);
}

TEST(CudaProperties, HasNoPeakWhenTheDriverGivesNoClockOrNoWidth) {
  EXPECT_EQ(theoretical_peak(0, 256), 0);
  EXPECT_EQ(theoretical_peak(5e9, 0), 0);
  EXPECT_EQ(theoretical_peak(-1, 256), 0);
}

// A kernel that does not end blocks the driver, too, so this needs a process of its own.
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
  const auto error = thrown<device::DeviceError>([&] { device->synchronize(*stream); });
  EXPECT_EQ(error.name(), "CUDA_ERROR_LAUNCH_TIMEOUT");
  EXPECT_EQ(error.failure().kind, DefectKind::time_limit);
  EXPECT_TRUE(error.explanation().starts_with("2 s after its launch")) << error.explanation();
}

}  // namespace
}  // namespace gpulab::cuda
