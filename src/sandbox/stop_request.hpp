#pragma once

#include <chrono>
#include <exception>
#include <functional>

namespace gpulab::sandbox {

// Somebody who may want the work of a child process stopped while it goes on.
struct StopRequest {
  int descriptor = -1;                                   // becomes readable when they may; -1 for nobody
  std::function<bool()> is_made = [] { return false; };  // whether they do
};

// The work was stopped on request.
class WorkStopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

// Waits until there is something to read, or the other end is gone; false when the time is over first. Throws
// WorkStopped.
bool wait_to_read(int descriptor, std::chrono::steady_clock::time_point deadline, const StopRequest& stop);

}  // namespace gpulab::sandbox
