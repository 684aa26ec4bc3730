#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/handles.hpp"

namespace gpulab {

// A mask of lanes of a warp.
using LaneMask = std::uint64_t;

// The number of lanes in a warp: 32, or 64 as in the wavefronts of AMD's CDNA.
class WarpSize {
 public:
  static constexpr unsigned max_lanes = 64;

  constexpr WarpSize() = default;
  constexpr explicit WarpSize(unsigned lanes) : bits_(lanes == max_lanes ? 6 : 5) {}

  constexpr unsigned lanes() const { return 1u << bits_; }
  constexpr LaneMask all_lanes() const { return ~LaneMask{0} >> (max_lanes - lanes()); }
  constexpr unsigned warp_of(unsigned thread) const { return thread >> bits_; }
  constexpr unsigned lane_of(unsigned thread) const { return thread & (lanes() - 1); }
  constexpr unsigned warp_count(unsigned threads) const { return warp_of(threads + lanes() - 1); }
  constexpr unsigned thread_of(unsigned warp, unsigned lane) const { return warp << bits_ | lane; }

 private:
  unsigned bits_ = 5;
};

// The distance in bytes between accesses of neighbouring lanes. A sum of strides keeps the one with a
// majority of the votes, if any: a vote for another stride cancels one (Boyer-Moore).
struct LaneStride {
  std::int64_t bytes = 0;
  std::uint64_t votes = 0;  // net votes; never more than were cast for this stride

  LaneStride& operator+=(const LaneStride& other);
  friend bool operator==(const LaneStride&, const LaneStride&) = default;
};

// The layout of a warp's accesses, over the same requests as AccessSums.
struct AccessPattern {
  std::uint64_t min_sectors = 0;          // if the requested bytes filled whole sectors
  std::uint64_t min_bank_wavefronts = 0;  // without bank conflicts
  // Stride that causes most excess sectors or wavefronts: each of these is a vote for the stride of its
  // request.
  LaneStride costly_stride = {};

  AccessPattern& operator+=(const AccessPattern& other);
  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

// Memory requests of a launch's warps, as the simulator counts them. One request is one load, store or atomic
// instruction, executed once by the lanes of one warp together.

enum class AccessKind : unsigned char {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic
};

// Returns "global load".
std::string_view name_of(AccessKind kind);

constexpr bool is_shared(AccessKind kind) {
  return kind >= AccessKind::shared_load;
}
constexpr bool is_atomic(AccessKind kind) {
  return kind == AccessKind::global_atomic || kind == AccessKind::shared_atomic;
}

// Units in which global memory is moved.
inline constexpr unsigned sector_bytes = 32, line_bytes = 128;

// Sums over requests; divided by `requests`, they are what profilers show.
struct AccessSums {
  std::uint64_t requests = 0;
  std::uint64_t active_lanes = 0;      // lanes that took part
  std::uint64_t sectors = 0;           // global memory: distinct 32-byte sectors touched
  std::uint64_t bytes = 0;             // global memory: distinct bytes requested
  std::uint64_t bank_wavefronts = 0;   // shared memory: accesses to the busiest bank
  std::uint64_t max_same_address = 0;  // atomics: most lanes at one address
  std::uint64_t lines = 0;             // global memory, of a sample: distinct 128-byte lines touched

  AccessSums& operator+=(const AccessSums& other);
  friend bool operator==(const AccessSums&, const AccessSums&) = default;
};

// A warp's request: the addresses of its lanes at one execution of a memory instruction.
struct LaneAddresses {
  LaneMask lanes = 0;  // that are active
  std::array<std::uintptr_t, WarpSize::max_lanes> of_lane;
};

// A request as it was recorded.
struct RequestSample {
  LaneAddresses addresses = {0, {}};  // no lanes: nothing was recorded
  std::uint32_t bytes = 0;            // accessed by each lane: 1, 2, 4, 8 or 16
  // Sectors, wavefronts and atomics at one address, beyond the fewest that are needed.
  std::uint64_t excess = 0;
  Extent block{0, 0, 0};    // blockIdx
  std::uint32_t warp = 0;   // within its block
  std::uint32_t visit = 0;  // earlier requests of this warp and instruction

  // Returns whether this one is the better example: it costs more or, at the same cost, came earlier.
  bool is_costlier_than(const RequestSample& other) const;
};

// The accesses of one kind in one line; line 0 if unknown.
struct LineAccesses {
  int line = 0;
  AccessKind kind = AccessKind::global_load;
  AccessSums sums;
  AccessPattern pattern = {};
  RequestSample costliest = {};
  std::uint64_t most_of_a_warp = 0;  // most requests that one warp made in a block; summed over launches
  std::string element = {};          // where its first lane accesses: "A[32]"; empty if unknown
  std::string file = {};             // file of the line, if not the kernel file or the program's main file
  std::string source = {};           // text of the line in that file, if looked up
  unsigned warp_size = 32;           // lanes of a warp
};

// The last writers of a shared array in a launch's first block: for each 4-byte word, the number of the
// thread in the block.
struct SharedWriters {
  static constexpr std::uint16_t no_thread = 0xFFFF;
  static constexpr const char* dynamic_memory = "extern __shared__";  // in place of a name
  std::string array;
  std::vector<std::uint16_t> threads;  // by word
};

// The global memory that the blocks of a sample touched in one allocation.
struct Footprint {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;  // of the allocation
  // Distinct sectors of each block, added up over the blocks.
  std::uint64_t loaded_sectors = 0, stored_sectors = 0;
  // Distinct words that atomics of each block update, added up, and those that the block before updated, too.
  std::uint64_t updated_words = 0, rewritten_words = 0;

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

// A part of a launch's blocks, or all of them, with what they touched.
struct BlockSample {
  std::uint64_t blocks = 0;       // counted
  std::uint64_t of_blocks = 0;    // launched
  std::uint64_t block_pairs = 0;  // counted blocks whose neighbour was counted just before
  // Accesses of all counted blocks, and of the first of them alone. The first may differ from the others: the
  // first block to take work from a counter may do all of it.
  std::uint64_t accesses = 0, of_first_block = 0;
  std::uint64_t barriers = 0;      // that the threads of the counted blocks met at
  bool is_cut_off = false;         // counting ended while a block took on the work of others
  std::uint64_t only_counted = 0;  // accesses to shared memory that were counted without their addresses
  std::vector<Footprint> footprints = {};

  // Adds blocks of another worker or launch.
  void add(const BlockSample& sample);
  // Returns whether each access of all blocks was looked at.
  bool is_whole() const { return blocks == of_blocks && only_counted == 0 && !is_cut_off; }
  friend bool operator==(const BlockSample&, const BlockSample&) = default;
};

struct AccessCounts {
  std::vector<LineAccesses> lines;  // sorted by file, line and kind; each once
  std::vector<SharedWriters> writers = {};
  BlockSample sample = {};  // empty unless a sample or footprints were asked for

  // Adds the requests to those of the same line and kind, and keeps the costlier sample.
  void add(const LineAccesses& accesses);
  // Adds everything; keeps the writers of an array that has some already.
  void add(AccessCounts counts);
};

// Sums over all lines.
AccessSums sums_of(const AccessCounts& counts, AccessKind kind);

// The remaining functions return means over requests, 0 if there were none.

// Averages over one kind. With 4 bytes for each of 32 lanes: 4 at best, 32 at worst; 16 bytes: 16 at best.
double sectors_per_request(const AccessCounts& counts, AccessKind kind);
// Averages over all kinds: 32 at best.
double active_lanes_per_request(const AccessCounts& counts);
// Averages over one kind of shared accesses. With 4 bytes per lane: 1 at best, 32 at worst; 8 bytes: 2 at
// best; 16 bytes: 4.
double wavefronts_per_request(const AccessCounts& counts, AccessKind kind);
// Averages over atomics: 1 at best, 32 at worst.
double max_same_address_per_request(const AccessCounts& counts);

// Returns the requested fraction of the bytes in the sectors that global loads or stores touch: 1 at best.
double sector_efficiency(const AccessSums& sums);

// Simulator counts of a warp's memory accesses. One request is one load, store or atomic of a warp.
enum class AccessMetric {
  sectors_per_load,  // 32-byte sectors that a load of a warp touches: 4 at best for 4 bytes each
  sectors_per_store,
  lanes_per_request,            // active lanes: 32 at best
  bank_conflict_ways_per_load,  // shared memory wavefronts per load: 1 at best
  bank_conflict_ways_per_store,
  lanes_at_one_address,  // atomics of one request at one address: 1 at best
};

// Returns the name for tables.
std::string_view name_of(AccessMetric metric);

}  // namespace gpulab
