#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "core/handles.hpp"
#include "core/options.hpp"

namespace gpulab {

struct Problem;

// What a variant's launch and its outcome may depend on.
struct LaunchContext {
  Settings settings;
  Extent work;                       // work items, as Problem::work_items has them
  unsigned block_size = 0;           // threads of a block, as asked for
  const Problem* problem = nullptr;  // outlives this

  std::size_t size() const { return work.volume(); }

  // The problem's value of a scalar. Throws std::logic_error where it has none.
  template <class T>
  T operator[](const Scalar<T>& scalar) const {
    const std::uint64_t bits = value_bits(scalar.name);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

  // Elements of an array of the problem. Throws std::logic_error where there is no such array.
  std::size_t length(const ArrayHandle& array) const;

 private:
  std::uint64_t value_bits(const char* scalar) const;
};

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
