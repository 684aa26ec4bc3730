#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/arrays.hpp"
#include "device/device.hpp"
#include "validate/guard.hpp"

namespace gpulab::run {

// The arrays of a problem in the device's memory, each between two guard zones.
class DeviceArrays {
 public:
  // Allocates, and puts the inputs there. Throws DeviceError.
  DeviceArrays(device::Device& device, device::Stream& stream, std::vector<SizedArray> arrays,
               const Inputs& inputs);
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Of the first element, and what there is to know about it. Throws std::logic_error for a name that no
  // array has.
  device::DevicePointer address_of(const std::string& array) const;
  const SizedArray& array(const std::string& array) const;

  // "input[5]" for an address in or near an array; empty for any other.
  std::string element_at(device::DevicePointer address) const;

  // Before a launch that is to be checked: outputs and scratch poisoned or cleared, guard zones whole.
  void reset();
  // Before a launch that is only timed: just the arrays that kernels add to.
  void clear_accumulators();
  // For a variant that copies its inputs itself.
  void poison_inputs();

  // Waits for the stream, and reads the outputs back.
  void read_outputs(Outputs& outputs);

  struct DamagedArray {
    const SizedArray* array = nullptr;
    validate::GuardHit hit;
  };
  // Waits for the stream. The first array outside of which something was written.
  std::optional<DamagedArray> damaged_array();

  // Waits for the stream. The first input that is not what was put there any more, or null.
  const SizedArray* changed_input(const Inputs& inputs);

  void copy_inputs(const Inputs& inputs);
  void copy_input(const Array& input);
  void copy_output(Array& output);

  // What all arrays take, guard zones included.
  static std::size_t bytes_with_guards(const std::vector<SizedArray>& arrays);

 private:
  struct Buffer {
    const SizedArray* array = nullptr;
    device::DeviceMemory memory;        // the array between its guard zones
    device::DevicePointer address = 0;  // of the first element
    std::byte pattern{};
  };

  const Buffer& buffer(const std::string& array) const;
  void set(const Buffer& buffer, unsigned char value);
  std::vector<std::byte> read_zone(device::DevicePointer from);

  device::Device& device_;
  device::Stream& stream_;
  std::vector<SizedArray> sizes_;
  std::vector<Buffer> buffers_;
};

}  // namespace gpulab::run
