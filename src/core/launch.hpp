#pragma once

#include <cstddef>
#include <functional>

#include "core/extent.hpp"
#include "core/launch_context.hpp"

namespace gpulab {

// On every CUDA device since compute capability 2.0.
constexpr unsigned max_threads_per_block = 1024;

// On every CUDA device since compute capability 3.0.
constexpr unsigned max_grid_y = 65535;

// What stands between <<< and >>>, less the stream.
struct LaunchConfig {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes = 0;
  // All blocks at once, so that they may wait for each other: refused when the device cannot hold so many.
  bool cooperative = false;
};

// What a variant may look at when it chooses its grid and block.
struct LaunchRequest : LaunchContext {
  unsigned resident_blocks = 0;  // blocks of that size that the whole device can hold at once
};

// Which thread of a launch does which work item: the thread at the item's place in the whole grid; or, where
// threads stride over the items of one dimension, the thread i % (threads of the grid).
enum class Ownership { one_item, strides, unknown };

// What a variant chooses. A shape that returns a LaunchConfig alone leaves open whose item is whose, and then
// no thread is named when a result is wrong.
struct ChosenLaunch {
  ChosenLaunch(LaunchConfig chosen, Ownership owned = Ownership::unknown)
      : config(chosen), ownership(owned) {}

  LaunchConfig config;
  Ownership ownership;
};

using LaunchShape = std::function<ChosenLaunch(const LaunchRequest&)>;

// ceil(items / step): how many blocks, tiles or chunks of that many cover all.
unsigned ceil_div(std::size_t items, std::size_t step);

// Enough blocks for every item: the last one may be partly past the end.
ChosenLaunch one_thread_per_element(const LaunchRequest& request);

// A quarter as many: each thread moves four elements at once, and one thread more has those that are left.
ChosenLaunch one_thread_per_four_elements(const LaunchRequest& request);

// Blocks 32 threads wide (or as wide as the block has threads), over work in x and y.
ChosenLaunch one_thread_per_pixel(const LaunchRequest& request);

// As many blocks as the device holds at once, but none without work: for kernels with a grid-stride loop.
ChosenLaunch resident_blocks(const LaunchRequest& request);

// The given number of blocks, whatever the size.
LaunchShape fixed_blocks(unsigned blocks);

// One block with a thread for every element: more than 1024 is more than the hardware takes.
ChosenLaunch one_block_of_size_threads(const LaunchRequest& request);

}  // namespace gpulab
