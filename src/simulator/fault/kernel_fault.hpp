#pragma once

#include <pthread.h>
#include <cstdint>
#include <string>

namespace gpulab::simulator::fault {

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

// What is told of a fault that is no kernel's, before it ends the process.
using HostFaultHandler = void (*)(int signal, std::uintptr_t address, std::uintptr_t instruction);
void set_host_fault_handler(HostFaultHandler handler);

// Ends the kernel on that worker thread as a fault would, if the thread is in the kernel's own code at this
// moment. If it is not, it may hold a lock, and nothing happens.
void interrupt_kernel(pthread_t worker);

}  // namespace gpulab::simulator::fault
