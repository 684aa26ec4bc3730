#include <gtest/gtest.h>

#include "cuda/device.hpp"

// What the cuda device says on a machine that lacks what it needs.

namespace gpulab::cuda {
namespace {

device::DeviceError failure_to_open(int index) {
  device::CompileCache cache;
  try {
    open_cuda_device(index, cache);
  } catch (const device::DeviceError& error) {
    return error;
  }
  throw std::logic_error("the device was opened");
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
    const std::string plain_half =
        "there is no NVIDIA driver on this machine (--device simulator needs none)";
    EXPECT_TRUE(std::string(error.what()).starts_with(plain_half)) << error.what();
    EXPECT_TRUE(error.explanation().starts_with("libcuda.so.1: ")) << error.explanation();
  }
}

}  // namespace
}  // namespace gpulab::cuda
