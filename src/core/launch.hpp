#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace gpulab {

// Sizes in x, y and z, as CUDA's dim3.
struct Extent {
  unsigned x = 1, y = 1, z = 1;
  std::size_t volume() const { return std::size_t{x} * y * z; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

// As dim3 is written in code, without the sizes of 1 at its end: "256", "(16, 16)", "(8, 8, 4)".
std::string text_of(const Extent& extent);

// On every CUDA device since compute capability 2.0.
constexpr unsigned max_threads_per_block = 1024;

// What stands between <<< and >>>, less the stream.
struct LaunchConfig {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes = 0;
};

// What a variant may look at when it chooses its grid and block.
struct LaunchRequest {
  std::size_t size = 0;          // elements, as asked for
  unsigned block_size = 0;       // threads of a block, as asked for
  unsigned resident_blocks = 0;  // blocks of that size that the whole device can hold at once
};

// Which thread of a launch does work item i, where grid and block have one dimension: the thread i of the
// grid, or, where threads stride over the items, the thread i % (threads of the grid).
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

// ceil(size / block) blocks: the last one may be partly past the end.
ChosenLaunch one_thread_per_element(const LaunchRequest& request);

// As many blocks as the device holds at once, but none without work: for kernels with a grid-stride loop.
ChosenLaunch resident_blocks(const LaunchRequest& request);

// The given number of blocks, whatever the size.
LaunchShape fixed_blocks(unsigned blocks);

// One block with a thread for every element: more than 1024 is more than the hardware takes.
ChosenLaunch one_block_of_size_threads(const LaunchRequest& request);

}  // namespace gpulab
