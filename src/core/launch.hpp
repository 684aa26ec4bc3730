#pragma once

#include <cstddef>
#include <functional>

namespace gpulab {

// Sizes in x, y and z, as CUDA's dim3.
struct Extent {
  unsigned x = 1, y = 1, z = 1;
  std::size_t volume() const { return std::size_t{x} * y * z; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

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

using LaunchShape = std::function<LaunchConfig(const LaunchRequest&)>;

// ceil(size / block) blocks: the last one may be partly past the end.
LaunchConfig one_thread_per_element(const LaunchRequest& request);

// As many blocks as the device holds at once, but none without work: for kernels with a grid-stride loop.
LaunchConfig resident_blocks(const LaunchRequest& request);

// The given number of blocks, whatever the size.
LaunchShape fixed_blocks(unsigned blocks);

// One block with a thread for every element: more than 1024 is more than the hardware takes.
LaunchConfig one_block_of_size_threads(const LaunchRequest& request);

}  // namespace gpulab
