#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/arguments.hpp"
#include "core/device_properties.hpp"
#include "core/execution.hpp"
#include "core/launch.hpp"
#include "core/outcome.hpp"
#include "core/tolerance.hpp"

namespace gpulab {

// The block sizes (threads) that a variant can be launched with, and the one it is launched with unasked.
struct BlockSizes {
  unsigned threads = 256;
  unsigned multiple_of = 1;
  unsigned max = max_threads_per_block;
  bool power_of_two = false;

  bool allows(unsigned asked) const {
    return asked > 0 && asked <= max && asked % multiple_of == 0 &&
           (!power_of_two || std::has_single_bit(asked));
  }
};

// A block size that cannot be chosen: tiles, say, are part of the kernel's text.
constexpr BlockSizes only_blocks_of(unsigned threads) {
  return {.threads = threads, .multiple_of = threads, .max = threads};
}

// A __constant__ or __device__ variable of the kernel file that an input is copied to, before anything is
// timed.
struct Symbol {
  std::string name;
  AnyInput array;
};

// Where the host's copies of the arrays lie, for variants that copy them: in memory that the device can read
// by itself, or in memory that the driver has to copy once more.
enum class HostMemory { pageable, pinned };

// What a kernel asks of a GPU that not every one has, and the simulator never: instructions that only came
// with a compute capability. Those of an architecture's own set, such as wgmma in 9.0, went with it, too.
struct GpuNeed {
  int major = 0, minor = 0;
  bool only_there = false;       // later compute capabilities do not have it
  std::size_t shared_bytes = 0;  // of a block, static and dynamic; not every GPU lets a kernel have as much

  bool is_met_by(const DeviceProperties& device) const;
  std::string text() const;  // "a GPU of compute capability 8.0 or later"
};

// One way to compute the lesson's problem, one rung of the ladder: a kernel with its launch or, for more than
// that, steps.
struct Variant {
  std::string name;
  std::string kernel;  // the __global__ function; the main one, where there are several
  std::string idea;    // one line: what it does differently from the rung before
  LaunchShape launch = one_thread_per_element;
  Expectation expects = Outcome::right;
  bool races = false;  // on purpose: the simulator has to interrupt threads for it to show
  BlockSizes block = {};
  std::string source = {};   // its file in kernels/, when it is not the lesson's
  Arguments arguments = {};  // of the kernel, when they are not the lesson's
  std::vector<Symbol> symbols = {};
  // Everything it does, when that is not one launch of the kernel.
  std::function<void(Execution&)> steps = {};
  std::vector<AnyOutput> computes = {};      // the outputs it is judged by, when not all of them
  std::optional<std::size_t> max_size = {};  // it is run at that size when a larger one is asked for
  std::optional<GpuNeed> needs = {};         // cuda only
  // A yardstick: the library call that is made instead of any kernel, with the same arguments.
  std::string library = {};
  std::optional<Tolerance> tolerance = {};  // where it may be less exact than the lesson's kernels
  // For a variant that copies its inputs itself: where the host has them. The device then has none before it.
  std::optional<HostMemory> copies_from = {};
};

}  // namespace gpulab
