#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lesson/access_counts.hpp"

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

using LineAndKind = std::pair<int, AccessKind>;

struct BasicBlock {
  InstructionMix mix;
  std::map<LineAndKind, unsigned> accesses;  // memory instructions in the PTX, as unrolled
  // Round trips to global memory, one after another. A load starts a new one if its address was loaded, or if
  // it follows a barrier or a store that may be to the same place.
  unsigned load_batches = 0;
  unsigned barriers = 0;
  unsigned local_accesses = 0;      // to local memory: spills, and arrays with a run-time index
  std::optional<std::size_t> loop;  // the innermost loop around the block
};

// A loop: the block that a later block jumps back to, and that later block.
struct Loop {
  std::size_t first = 0, last = 0;
};

struct PtxKernel {
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;
};

// Reads a kernel from the PTX that NVRTC made of this file. Returns none if the PTX lacks the symbol.
std::optional<PtxKernel> read_ptx(const std::string& ptx, const std::string& symbol, const std::string& file);

}  // namespace gpulab::estimate
