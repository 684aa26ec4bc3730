#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lesson/launch.hpp"

namespace gpulab {

// The predicted time of a variant on a GPU that may not be here: plain values in SI units.

// A resource of a GPU that can bound a kernel's time.
enum class Limiter {
  launch,        // starting it
  dram,          // bytes between DRAM and L2
  l2,            // bytes between L2 and the multiprocessors
  l1,            // requests and sectors of global memory, and wavefronts of shared memory
  issue,         // warp instructions
  multiply_add,  // float32 arithmetic
  float64,       // double precision arithmetic
  special,       // roots, sines
  atomics,       // updates of global memory
  latency,       // round trips to memory that too few warps hide
};

// Returns "DRAM bandwidth".
std::string_view name_of(Limiter limiter);

// The work of one launch, for all its blocks: counted on the simulator, or read from what the compiler made.
// Requests, instructions and batches are counted once for a warp, not for each lane.
struct KernelWork {
  std::string kernel;
  LaunchConfig config;
  int registers = 0;             // per thread
  std::size_t shared_bytes = 0;  // per block, static and dynamic
  double load_requests = 0, load_sectors = 0;
  double load_bytes = 0;  // distinct bytes of each request, added up
  double load_lines = 0;  // distinct 128-byte lines of each request, added up
  double store_requests = 0, store_sectors = 0, store_lines = 0;
  double atomic_requests = 0, atomic_sectors = 0;
  double atomic_turns = 0;  // most lanes at one address, added up over requests
  double atomic_words = 0;  // words that are updated at the same time
  double shared_requests = 0, shared_wavefronts = 0;
  double local_requests = 0;
  double calls = 0;  // of functions that were not inlined; their instructions are not counted
  double bytes_loaded = 0, bytes_stored = 0;  // distinct bytes of the launch
  double bytes_loaded_by_blocks = 0;          // distinct bytes of each block, added up
  double instructions = 0, multiply_adds = 0, float64s = 0, specials = 0;
  double load_batches = 0;          // round trips of a warp to global memory, one after another
  double most_load_batches = 0;     // of a warp that has many times the mean number, if there is such a warp
  double barriers = 0;              // of a block, where its threads meet
  bool has_instructions = false;    // from the compiler, not from counts alone
  bool has_uncounted_loop = false;  // has a loop without memory accesses, so its iterations were not counted
  bool is_uncounted = false;        // no loop was counted, or an inner one was not: its time is unknown
};

// A bound of the time by one resource.
struct Bound {
  Limiter limiter = Limiter::launch;
  double seconds = 0;
};

struct LaunchEstimate {
  KernelWork work;
  unsigned blocks_per_multiprocessor = 0;
  double occupancy = 0;         // resident warps as a part of the most there can be
  std::string occupancy_limit;  // "registers"
  double waves = 0;
  std::vector<Bound> bounds;  // longest first
  double seconds = 0;         // without the time to start it
};

// The predicted time of a variant's kernels, one after another.
struct Estimate {
  // Estimates for one GPU share most of their errors, so their ratio is more accurate than each of them.
  static constexpr double ratio_width = 1.3;

  std::string gpu;  // "H200"
  double seconds = 0;
  double low_s = 0, high_s = 0;
  std::vector<Bound> bounds;  // added up over the launches, longest first
  std::vector<LaunchEstimate> launches;
  std::string why_not;  // not empty if nothing is predicted
};

// Predicted times of a learner's kernel and of the lesson's solution, at the lesson's default size.
struct PredictedTimes {
  Estimate yours, solution;
  std::size_t size = 0;  // work items
};

}  // namespace gpulab
