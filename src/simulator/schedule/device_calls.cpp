#include "simulator/schedule/device_calls.hpp"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

// The symbols that prelude/device_calls.cuh declares. Kernels are compiled into shared objects, which find
// them in the program.

#pragma GCC visibility push(default)

struct Uint3 {
  unsigned x, y, z;
};

extern "C" {
__thread Uint3 threadIdx, blockIdx, blockDim, gridDim;
__thread std::uintptr_t gpulab_shared_begin, gpulab_shared_bytes;
}

extern "C" int gpulab_barrier(int predicate, int line) {
  return gpulab::simulator::schedule::scheduler_of_this_thread()->barrier(predicate != 0, line);
}

extern "C" std::uint64_t gpulab_shuffle(std::uint32_t mask, std::uint64_t mine, unsigned source, int line) {
  return gpulab::simulator::schedule::scheduler_of_this_thread()->exchange(mask, mine, source, nullptr, line);
}

extern "C" void gpulab_gather(std::uint32_t mask, std::uint64_t mine, std::uint64_t* lanes, int line) {
  gpulab::simulator::schedule::scheduler_of_this_thread()->exchange(mask, mine, 0, lanes, line);
}

extern "C" unsigned gpulab_active_mask() {
  return gpulab::simulator::schedule::scheduler_of_this_thread()->active_mask();
}

extern "C" long long gpulab_clock() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

extern "C" void gpulab_trap() {
  gpulab::simulator::schedule::scheduler_of_this_thread()->fail(
      {"CUDA_ERROR_LAUNCH_FAILED",
       "__trap() was called by " + gpulab::simulator::schedule::scheduler_of_this_thread()->running_thread(),
       {.kind = gpulab::FailureKind::trapped}});
}

extern "C" int gpulab_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int written = std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (written > 0)
    gpulab::simulator::schedule::scheduler_of_this_thread()->after_printing(static_cast<std::size_t>(written),
                                                       __builtin_return_address(0));
  return written;
}

#pragma GCC visibility pop

namespace gpulab::simulator::schedule {

void set_grid_and_block(const LaunchConfig& config, const Extent& block_index) {
  gridDim = {config.grid.x, config.grid.y, config.grid.z};
  blockDim = {config.block.x, config.block.y, config.block.z};
  blockIdx = {block_index.x, block_index.y, block_index.z};
}

void set_thread_index(unsigned thread) {
  // One-dimensional blocks are by far the most common, and a division costs as much as a small kernel.
  if (thread < blockDim.x) {
    threadIdx = {thread, 0, 0};
  } else {
    const unsigned row = thread / blockDim.x;
    threadIdx = {thread % blockDim.x, row % blockDim.y, row / blockDim.y};
  }
}

void set_shared_memory(const char* begin, std::size_t bytes) {
  gpulab_shared_begin = reinterpret_cast<std::uintptr_t>(begin);
  gpulab_shared_bytes = bytes;
}

count::AddressRange index_variables() {
  const auto [first, last] =
      std::minmax({reinterpret_cast<std::uintptr_t>(&threadIdx), reinterpret_cast<std::uintptr_t>(&blockIdx),
                   reinterpret_cast<std::uintptr_t>(&blockDim), reinterpret_cast<std::uintptr_t>(&gridDim),
                   reinterpret_cast<std::uintptr_t>(&gpulab_shared_begin),
                   reinterpret_cast<std::uintptr_t>(&gpulab_shared_bytes)});
  return {first, last - first + sizeof(Uint3)};
}

Extent current_block_index() {
  return {blockIdx.x, blockIdx.y, blockIdx.z};
}
Extent current_thread_index() {
  return {threadIdx.x, threadIdx.y, threadIdx.z};
}

}  // namespace gpulab::simulator::schedule
