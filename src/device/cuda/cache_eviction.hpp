#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/device_memory.hpp"

namespace gpulab {

// Empties the caches of a device by reading a buffer twice as large as its L2 cache. Reading leaves clean
// lines; writing would leave lines that the next kernel has to pay for writing back.
class CacheEviction {
 public:
  // Compiles the reading kernel and allocates the buffer, of 2 * l2_bytes (64 MiB where the device does not
  // tell its l2_bytes).
  explicit CacheEviction(Device& device);
  CacheEviction(const CacheEviction&) = delete;
  CacheEviction& operator=(const CacheEviction&) = delete;

  void run(Stream& stream);

 private:
  Device& device_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Kernel> kernel_;
  LaunchConfig config_;
  unsigned long quads_;
  DeviceMemory buffer_;
  bool buffer_is_filled_ = false;
};

}  // namespace gpulab
