#pragma once

#include <pthread.h>
#include <string>

namespace gpulab::simulator::fault {

// How many seconds a launch may go on without a single thread returning: 60, or what the environment variable
// GPULAB_TIME_LIMIT says. Throws UsageError when that is no number above 0.
double time_limit();

// "no thread returned for 60 s: test.cu:7, block 3 thread 17 is still running", and how to wait longer.
std::string time_limit_explanation(const std::string& running);

// What a worker thread needs so that a kernel that touches an address it does not have, divides by zero or
// overflows its stack ends with a KernelFailure instead of ending the process. The signal handler only
// redirects the thread; the explanation is made in ordinary code, on a stack kept for that.
class FaultGuard {
 public:
  // Throws std::bad_alloc.
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // For the rest of the calling thread's life, which must end before the guard's.
  void protect_this_thread();

 private:
  void* stacks_;  // one to handle signals on, and one to explain a fault on
};

// Ends the kernel on that worker thread as a fault would, if the thread is in the kernel's own code at this
// moment. If it is not, it may hold a lock, and nothing happens.
void interrupt_kernel(pthread_t worker);

}  // namespace gpulab::simulator::fault
