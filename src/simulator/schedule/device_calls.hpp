#pragma once

#include <cstdarg>
#include <cstdio>

#include "core/launch.hpp"
#include "simulator/schedule/block_scheduler.hpp"

namespace gpulab::simulator::schedule {

// What kernels see of the thread, block and grid they run in. Kernels read these thread-local variables under
// the names threadIdx, blockIdx, blockDim and gridDim.
void set_grid_and_block(const LaunchConfig& config, const Extent& block_index);
void set_shared_memory(const char* begin, std::size_t bytes);
Extent current_block_index();
// Where all these variables of the calling worker are.
count::AddressRange index_variables();
Extent current_thread_index();

// Where printf of kernels that are not checked writes: stderr, unless a whole program runs.
void set_kernel_output(std::FILE* file);
std::FILE* kernel_output();

// printf in a kernel. The code is where it was called.
int print_from_kernel(const char* format, std::va_list& arguments, const void* code);

// What is told of an index, an address or a divisor that is wrong on the host's side of a program.
using HostDefectHandler = void (*)(const check::FoundDefect& defect);
void set_host_defect_handler(HostDefectHandler handler);

// The scheduler that serves the calls of kernels on this worker thread.
inline constinit thread_local BlockScheduler* running_scheduler = nullptr;
inline void set_scheduler(BlockScheduler* scheduler) {
  running_scheduler = scheduler;
}
inline BlockScheduler* scheduler_of_this_thread() {
  return running_scheduler;
}

}  // namespace gpulab::simulator::schedule
