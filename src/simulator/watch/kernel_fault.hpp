#pragma once

#include <pthread.h>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::watch {

// The machine code of the shared object that a kernel was compiled into. Other code belongs to the C library
// or the simulator.
struct KernelCode {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t instruction) const { return begin <= instruction && instruction < end; }
};

// Returns the code of the function's shared object; empty when it is in none.
KernelCode code_around(const void* function);

// Returns all memory of the function's shared object, including its tables and variables.
AddressRange image_around(const void* function);

// Returns the source line of a kernel's instruction, such as "shared_histogram.cu:21", by addr2line of the
// compiler's own package. Empty when it is unknown.
std::string source_line(std::uintptr_t instruction);

// Records that a loaded shared object is a copy, so that its lines are looked up in the original. An empty
// original removes the record.
void set_origin(const std::string& copy, const std::string& original);

// Returns the source line of each instruction.
std::vector<std::string> source_lines(std::span<const std::uintptr_t> instructions);

// Returns each instruction's source line, followed by the lines that call it if it was inlined, one a line.
std::vector<std::string> source_chains(std::span<const std::uintptr_t> instructions);

// A function that returns the source chains of the instructions at these offsets in a shared object.
using LineFinder =
    std::function<std::vector<std::string>(const std::string& file, std::span<const std::uintptr_t> offsets)>;

// Sets another finder, for a process that may not run addr2line itself. Returns the previous one.
LineFinder set_line_finder(LineFinder finder);
std::vector<std::string> found_lines(const std::string& file, std::span<const std::uintptr_t> offsets);

// Sets the main file of a whole program, which reports leave out before a line number.
void set_main_file(std::string name);
// Returns the file, "kernels.cuh" for "kernels.cuh:21"; empty if it is the main file, or if no main file is
// set.
std::string other_file(const std::string& source_line);

// Returns the number, 21 for "shared_histogram.cu:21"; 0 when there is none.
int line_number(const std::string& source_line);

// Returns "no thread returned for 60 s: test.cu:7, block 3 thread 17 is still running" with a hint on
// how to wait longer.
std::string time_limit_explanation(const std::string& running);

// Lets a kernel that accesses an unmapped address, divides by zero or overflows its stack end with a
// KernelFailure instead of ending the process. The signal handler only redirects the worker thread; the
// explanation is made in ordinary code, on a stack reserved for it.
class FaultGuard {
 public:
  // Throws std::bad_alloc.
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // Protects the calling thread until it ends. The guard must outlive the thread.
  void protect_this_thread();

 private:
  void* stacks_;  // one to handle signals on, and one to explain a fault on
};

// The address of a fault by a pointer that is no address on this machine, so that the CPU does not tell it.
constexpr std::uintptr_t no_address = ~std::uintptr_t{0};

// Called for a fault outside kernels, before it ends the process. `is_store` is empty if that is unknown.
using HostFaultHandler = void (*)(int signal, std::uintptr_t address, std::uintptr_t instruction,
                                  std::optional<bool> is_store);
void set_host_fault_handler(HostFaultHandler handler);

// Ends the kernel on that worker thread as a fault would, if the thread is in the kernel's own code at this
// moment. Does nothing otherwise, since the thread may hold a lock.
void interrupt_kernel(pthread_t worker);

}  // namespace gpulab::simulator::watch
