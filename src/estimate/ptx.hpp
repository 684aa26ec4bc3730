#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lesson/access_counts.hpp"
#include "lesson/estimate.hpp"

namespace gpulab::estimate {

// Instructions of a warp, by the unit that limits them. A PTX instruction that becomes several machine
// instructions counts as several. The counts are estimates: nothing here reads the machine code.
struct InstructionMix {
  double issued = 0;
  double multiply_add = 0;  // float32 additions, multiplications and fused multiply-adds
  double float64 = 0;
  double special = 0;  // reciprocals, roots, sines

  InstructionMix& operator+=(const InstructionMix& other);
  friend InstructionMix operator*(double times, const InstructionMix& mix);
};

// A line of a file, and a kind of access in that line. The main file has an empty name.
struct AccessPlace {
  std::string file;
  int line = 0;
  AccessKind kind = AccessKind::global_load;
  auto operator<=>(const AccessPlace&) const = default;
};

struct BasicBlock {
  InstructionMix mix;
  std::map<AccessPlace, unsigned> accesses;  // memory instructions in the PTX, as unrolled
  std::map<AccessPlace, unsigned> merged;  // of these, how many ptxas is expected to save by vector accesses
  // Round trips to global memory, one after another. A load starts a new one if its address was itself
  // loaded, or if it follows a barrier, or a store that may be to the same address.
  unsigned load_batches = 0;
  unsigned local_accesses = 0;      // to local memory: spills, and arrays with a run-time index
  unsigned calls = 0;               // to functions that were not inlined
  std::optional<std::size_t> loop;  // the innermost loop around the block
};

// Natural loop, as indices of basic blocks in the order of the text.
struct Loop {
  std::size_t first = 0;  // the header
  std::size_t last = 0;   // the block that jumps back to the header
};

struct PtxKernel {
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;

  // Returns whether counts of accesses cannot tell how often the loops run: no loop accesses memory, or some
  // inner loop does not.
  bool has_uncounted_iterations() const;
};

// Says why the time of a kernel with an uncounted loop is not known.
std::string about_uncounted_loop(const std::string& kernel);

// Reads a kernel from the PTX that NVRTC or nvcc made of these files, the main file first. An access in
// another file is attributed to the last line before it that is in one of these files. Returns none if the
// PTX lacks the symbol.
std::optional<PtxKernel> read_ptx(const std::string& ptx, const std::string& symbol,
                                  const std::vector<std::string>& files);

// Returns the symbols of all kernels in the PTX.
std::vector<std::string> kernels_in(const std::string& ptx);

inline constexpr double lanes_of_warp = 32;

// Returns the work of a launch whose accesses were counted for a sample of its blocks. `resident_blocks` is
// the number of blocks that the GPU holds at once. Without PTX, guesses the instructions from the
// accesses.
KernelWork work_of(const AccessCounts& counts, const LaunchConfig& config, double resident_blocks,
                   const std::optional<PtxKernel>& ptx);

}  // namespace gpulab::estimate
