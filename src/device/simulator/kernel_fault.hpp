#pragma once

#include <cstddef>

namespace gpulab {

// While one of these lives on a worker thread, a kernel that touches an address it does not have, divides by
// zero or overflows its stack ends with a KernelFailure instead of ending the process. The signal handler
// only redirects the thread; the explanation is made in ordinary code, on a stack kept for that.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  void* signal_stack_;
  void* landing_stack_;
};

}  // namespace gpulab
