#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lesson/access_counts.hpp"

namespace gpulab::estimate {

// Instructions of a warp, by the unit that limits them. A PTX instruction that becomes several counts as
// several: the counts are an estimate of the machine code, which nothing here decodes.
struct InstructionMix {
  double issued = 0;
  double multiply_add = 0;  // float32 additions, multiplications and both together
  double integer = 0;
  double float64 = 0;
  double special = 0;  // reciprocals, roots, sines

  InstructionMix& operator+=(const InstructionMix& other);
  friend InstructionMix operator*(double times, const InstructionMix& mix);
};

// The memory instructions of a basic block that come from one line and have one kind.
struct PtxAccesses {
  unsigned copies = 0;    // in the PTX, as unrolled
  unsigned requests = 0;  // after neighbouring words of shared memory are joined into wider loads
};

using LineAndKind = std::pair<int, AccessKind>;

struct BasicBlock {
  InstructionMix mix;
  std::map<LineAndKind, PtxAccesses> accesses;
  // Round trips to global memory that wait for one another: a load whose address was loaded, or one behind a
  // store that may be to the same place.
  unsigned load_batches = 0;
  unsigned barriers = 0;
  unsigned local_accesses = 0;      // to local memory: spills, and arrays with a run-time index
  std::optional<std::size_t> loop;  // innermost one around it
};

// A loop, from the block that a later one jumps back to, to that later one.
struct Loop {
  std::size_t first = 0, last = 0;
};

struct PtxKernel {
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;
};

// Reads a kernel from the PTX that NVRTC made of a file with that name. None if the symbol is not there.
std::optional<PtxKernel> read_ptx(const std::string& ptx, const std::string& symbol, const std::string& file);

}  // namespace gpulab::estimate
