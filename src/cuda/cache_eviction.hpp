#pragma once

#include <memory>

#include "device/device.hpp"

namespace gpulab::cuda {

// Empties the caches of a device by reading a buffer twice as large as its L2 cache. Reading leaves clean
// lines; writing would leave lines that the next kernel has to pay for writing back.
class CacheEviction {
 public:
  // Compiles the reading kernel and allocates the buffer, of 2 * l2_bytes (64 MiB where the device does not
  // tell its l2_bytes).
  explicit CacheEviction(device::Device& device);
  CacheEviction(const CacheEviction&) = delete;
  CacheEviction& operator=(const CacheEviction&) = delete;

  void run(device::Stream& stream);

 private:
  device::Device& device_;
  std::unique_ptr<device::Module> module_;
  std::unique_ptr<device::Kernel> kernel_;
  LaunchConfig config_;
  unsigned long quads_;
  device::DeviceMemory buffer_;
  bool buffer_is_filled_ = false;
};

}  // namespace gpulab::cuda
