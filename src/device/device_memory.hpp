#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "device/device.hpp"

namespace gpulab {

// Memory of a device, freed when this goes. The device must outlive it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Throws DeviceError.
  DeviceMemory(Device& device, std::size_t bytes) : device_(&device), address_(device.allocate(bytes)) {}
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~DeviceMemory() {
    if (device_) device_->free(address_);
  }

  DevicePointer address() const { return address_; }

 private:
  Device* device_ = nullptr;
  DevicePointer address_ = 0;
};

// Memory of the host, page-locked for as long as this lives.
class PinnedMemory {
 public:
  PinnedMemory(Device& device, std::span<std::byte> host) : device_(&device), host_(host) {
    device.pin(host);
  }
  PinnedMemory(PinnedMemory&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), host_(other.host_) {}
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory() {
    if (device_) device_->unpin(host_);
  }

 private:
  Device* device_;
  std::span<std::byte> host_;
};

}  // namespace gpulab
