#pragma once

#include <stdexcept>
#include <string>

namespace gpulab::simulator::remote {

// The process of the device is gone, and all that was in it. No Error: whoever runs a stranger's kernels says
// what it means.
class DeviceGone : public std::runtime_error {
 public:
  DeviceGone(const std::string& why, bool is_out_of_time, int signal)
      : std::runtime_error(why), is_out_of_time(is_out_of_time), signal(signal) {}

  bool is_out_of_time;  // it was killed because its time was over
  int signal;           // that ended it; 0 where it ended by itself
};

// What a process sent is no message of gpulab's: native code in it writes to the connection.
class BadMessage : public DeviceGone {
 public:
  BadMessage() : DeviceGone("the process that ran it sent a message that makes no sense", false, 0) {}
};

}  // namespace gpulab::simulator::remote
