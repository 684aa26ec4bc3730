#pragma once

#include <pthread.h>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::watch {

// The machine code of the shared object that a kernel was compiled into. What lies outside is the C library's
// or the simulator's.
struct KernelCode {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t instruction) const { return begin <= instruction && instruction < end; }
};

// Empty when the function is in no loaded object.
KernelCode code_around(const void* function);

// All that the shared object takes in memory, its tables and variables included.
AddressRange image_around(const void* function);

// "shared_histogram.cu:21": the line that an instruction of a kernel was compiled from, by addr2line of the
// compiler's own package. Empty when it cannot be told.
std::string source_line(std::uintptr_t instruction);

// A shared object that was loaded from a copy has its lines where the original has them; empty when it goes.
void set_origin(const std::string& copy, const std::string& original);

// Of each of these instructions.
std::vector<std::string> source_lines(std::span<const std::uintptr_t> instructions);

// How the lines of instructions are found, at these places of a shared object.
using LineFinder =
    std::function<std::vector<std::string>(const std::string& file, std::span<const std::uintptr_t> offsets)>;

// For a process that may not run addr2line itself. Returns the one before.
LineFinder set_line_finder(LineFinder finder);
std::vector<std::string> found_lines(const std::string& file, std::span<const std::uintptr_t> offsets);

// Of a whole program, the file that a report is about first: places in it are told by their line alone.
void set_main_file(std::string name);
// "kernels.cuh" of "kernels.cuh:21"; empty where that is the main file, or there is none.
std::string other_file(const std::string& source_line);

// 21 of "shared_histogram.cu:21"; 0 when there is none.
int line_number(const std::string& source_line);

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

}  // namespace gpulab::simulator::watch
