#pragma once

#include "cuda/device.hpp"
#include "test.hpp"

namespace gpulab::cuda {

inline const device::KernelSource kernels_of_gpu_tests{"gpu_test.cu", source_text("tests/cuda/gpu.cu")};

class CudaDevice : public testing::Test {
 protected:
  static constexpr int size = 100'000;

  inline static const Signature signature = signature_of<const int*, int*, int, int>();

  void SetUp() override {
    const Status status = cuda_status();
    if (status.devices == 0) GTEST_SKIP() << status.driver_problem;
    if (!status.nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
    device_ = open_cuda_device(0, cache_);
    stream_ = device_->create_stream();
    module_ = device_->compile(kernels_of_gpu_tests, {});
    std::iota(numbers_.begin(), numbers_.end(), 1000);
    input_ = upload(numbers_);
    output_ = device_->allocate(size * sizeof(int));
  }
  void TearDown() override {
    if (!device_) return;
    device_->free(input_);
    device_->free(output_);
  }

  device::DevicePointer upload(const std::vector<int>& values) {
    const device::DevicePointer pointer = device_->allocate(values.size() * sizeof(int));
    device_->copy_to_device(pointer, std::as_bytes(std::span(values)), *stream_);
    device_->synchronize(*stream_);
    return pointer;
  }

  std::vector<int> download(device::DevicePointer pointer) {
    std::vector<int> values(size, -7);
    device_->copy_to_host(std::as_writable_bytes(std::span(values)), pointer, *stream_);
    device_->synchronize(*stream_);
    return values;
  }

  std::vector<int> numbers_plus(int term) const {
    std::vector<int> values = numbers_;
    for (int& value : values) value += term;
    return values;
  }

  void launch(const std::string& name, device::DevicePointer from, int term, device::Stream& stream,
              const LaunchConfig& config = {.grid = {(size + 255) / 256}, .block = {256}}) {
    int count = size;
    void* const arguments[] = {&from, &output_, &term, &count};
    device_->launch(*module_->kernel(name, signature), config, arguments, stream);
  }

  // Returns the name and the explanation of the refusal of a launch.
  std::string refusal_of(const LaunchConfig& config) {
    try {
      launch("use_shared", input_, 0, *stream_, config);
    } catch (const device::LaunchError& error) {
      return error.name() + ": " + error.explanation();
    }
    return "not refused";
  }

  device::CompileCache cache_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Module> module_;
  std::vector<int> numbers_ = std::vector<int>(size);
  device::DevicePointer input_ = 0, output_ = 0;
};

}  // namespace gpulab::cuda
