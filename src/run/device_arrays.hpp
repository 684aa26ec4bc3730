#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/arrays.hpp"
#include "core/lesson.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "validate/guard.hpp"

namespace gpulab {

// The arrays of a problem in the device's memory, each between two guard zones, and the arguments that a
// kernel is launched with.
class DeviceArrays {
 public:
  // Allocates, and puts the inputs there. Throws DeviceError.
  DeviceArrays(Device& device, Stream& stream, const Parameters& parameters, const Arrays& inputs);
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Before a launch that is to be checked: outputs poisoned or cleared, guard zones whole.
  void reset();
  // Before a launch that is only timed: just the outputs that kernels add to.
  void clear_accumulators();

  void* const* arguments() const { return arguments_.data(); }

  // Waits for the stream, and reads the outputs back.
  void read_outputs(Arrays& outputs);

  struct DamagedArray {
    const Parameter* parameter = nullptr;
    GuardHit hit;
  };
  // Waits for the stream. The first array outside of which something was written.
  std::optional<DamagedArray> damaged_array();

  // Waits for the stream. The first input that is not what was put there any more, or null.
  const Parameter* changed_input(const Arrays& inputs);

  void copy_inputs(const Arrays& inputs);
  void copy_outputs(Arrays& outputs);

  // What an array of that many bytes takes, guard zones included.
  static std::size_t bytes_with_guards(const Parameters& parameters);

 private:
  struct Buffer {
    const Parameter* parameter = nullptr;
    DeviceMemory memory;        // the array between its guard zones
    DevicePointer address = 0;  // of the first element
    std::byte pattern{};
  };

  std::vector<std::byte> read_zone(DevicePointer from);

  Device& device_;
  Stream& stream_;
  Parameters parameters_;
  std::vector<Buffer> buffers_;
  std::vector<void*> arguments_;
};

}  // namespace gpulab
