#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/instruments.hpp"
#include "lesson/access_counts.hpp"
#include "simulator/watch/reserved_array.hpp"

namespace gpulab::simulator::watch {

// Returns the sectors, bytes and wavefronts of the request, where each lane accesses 1, 2, 4, 8 or 16 bytes.
AccessSums sums_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses);

// Returns the request's stride, and the fewest sectors and wavefronts that its bytes can take.
AccessPattern pattern_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses,
                                 const AccessSums& sums);

// Lanes that each bank serves, as masks by bank; 0 for a bank that is idle.
using BankPass = std::array<LaneMask, 32>;

// Returns the wavefronts of a request to shared memory, one after another: in each a bank serves one word.
std::vector<BankPass> bank_passes(AccessKind kind, unsigned bytes, const LaneAddresses& addresses);

// Properties of an access, mostly of atomics, as bits.
enum AccessTraits : unsigned {
  overwrites = 1,   // the result does not depend on the old value
  block_scope = 2,  // atomic only among the threads of its block
  acquires = 4,     // acquire: what others released with the word happens before
  releases = 8,     // release, as by a fence before it
  only_loads = 16,
  compares = 32,        // compare-and-swap
  relaxed = 64,         // memory_order_relaxed or _release: acquires only at its thread's next fence
  may_have_gaps = 128,  // copies a structure, whose padding may be unwritten
  system_scope = 256,   // system scope: also for threads of other devices
};

// One access of one thread to memory.
struct MemoryAccess {
  enum class Operation : unsigned char { load, store, atomic };
  Operation operation = Operation::load;
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  std::uintptr_t pc = 0;      // the return address of its hook
  bool is_volatile = false;   // known in checked kernels only
  unsigned traits = 0;        // AccessTraits
  std::uint64_t operand = 0;  // of an atomic: the value that compare-and-swap expects, or the integer to add
};

struct AddressRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

// A memory instruction of a kernel. An instruction that accesses different kinds of memory, or different
// numbers of bytes, counts as several.
struct AccessSite {
  std::uintptr_t pc = 0;
  AccessKind kind = AccessKind::global_load;
  unsigned bytes = 0;
  AccessSums sums = {};
  AccessPattern pattern = {};
  RequestSample costliest = {};
  std::uint64_t most_of_a_warp = 0;      // requests in one block of the warp that makes most
  std::uint64_t only_counted_lanes = 0;  // of further requests, whose addresses were not kept
};

// The memory instructions that a launch has executed so far on one worker. Allocates nothing after
// construction.
class AccessSites {
 public:
  // Far more sites than a kernel in a lesson has.
  static constexpr std::size_t capacity = 512;

  AccessSites() : slots_(slot_count) { sites_.reserve(capacity); }

  // Returns the site's number, below `capacity`, and adds the site if it is new. None when there is no room.
  std::optional<std::size_t> number_of(std::uintptr_t pc, AccessKind kind, unsigned bytes);
  AccessSite& operator[](std::size_t number) { return sites_[number]; }
  const std::vector<AccessSite>& all() const { return sites_; }

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: none
    std::uint32_t site = 0;
  };
  static constexpr std::size_t slot_count = 4 * capacity;  // a power of two

  std::vector<Slot> slots_;  // a hash table with linear probing
  std::vector<AccessSite> sites_;
};

// The sectors and words that a sample of blocks touches, each counted once for each block. Allocates nothing
// after construction: if a block touches too many, the rest all count as new.
class FootprintTable {
 public:
  explicit FootprintTable(const std::vector<AddressRange>& global_memory);

  void start_block(std::uint64_t block);
  std::uint64_t blocks() const { return blocks_; }
  void add(AccessKind kind, unsigned bytes, const LaneAddresses& request);
  // Returns what the blocks touched; without allocations that nobody touched.
  BlockSample sample() const;

 private:
  struct Slot {
    std::uint64_t key = 0;    // 0: none
    std::uint64_t block = 0;  // the last that touched it, as numbered by blocks_
  };
  enum class Seen { never, by_last_block, by_this_block };

  Seen insert(std::uint64_t key);

  std::vector<Footprint> footprints_;  // of all allocations
  ReservedArray<Slot> slots_;
  std::vector<std::uint32_t> used_;
  std::uint64_t blocks_ = 0, last_block_ = 0;
  std::uint64_t pairs_ = 0;  // of blocks that ran one after the other, and are neighbours in the grid
  std::size_t last_footprint_ = 0;
};

// Counts the memory accesses of one launch on one worker, as requests of warps.
//
// The simulator runs the lanes of a warp one after another, while hardware runs them in lockstep. So requests
// are reconstructed: the k-th execution of a site by each lane of a warp makes one request. That is exact if
// all lanes execute the site equally often, or if some leave a loop earlier. It is not exact for an inner
// loop whose number of iterations differs between lanes each time.
//
// The requests of a warp are kept until they are folded into the sums of their sites. Then k starts again.
// Requests are folded wherever all lanes of the warp meet.
//
// Kernels call it on their own small stacks, so it allocates nothing after construction.
class AccessRecorder {
 public:
  // Accesses outside global and shared memory are to local or constant memory, and are not counted.
  explicit AccessRecorder(const std::vector<AddressRange>& global_memory, WarpSize warp_size = {});

  // The accesses to shared memory that are recorded: all, or only the first requests of each instruction,
  // which count as typical of the rest.
  enum class SharedRequests { all, first };
  // Records footprints, too. Call it before the first block.
  void record_footprints(SharedRequests shared) {
    footprints_.emplace(global_);
    shared_requests_ = shared;
  }

  // Sets the range of the worker's shared memory.
  void set_shared_memory(const AddressRange& shared) { shared_ = shared; }
  // Prepares for a block. Call it after set_shared_memory().
  void start_block(const Extent& block, std::uint64_t number = 0);

  // Notes that the block is stopped here. Its atomics on global memory, if any, count as those of a work
  // queue.
  void cut_off();

  // Return the number of all accesses to global and shared memory, and of those whose addresses were kept.
  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t kept_accesses() const { return accesses_ - only_counted_; }
  // Returns whether there were atomics on global memory, by which blocks may depend on each other.
  bool has_global_atomics() const;
  // Returns what the counted blocks touched, if footprints are recorded. The caller adds the number of all
  // blocks.
  BlockSample sample() const;

  // Counts an access to shared memory whose instruction has had enough requests. Returns false for any other
  // access, which needs record().
  bool try_count_only(const MemoryAccess& access) {
    const KnownSite& known = known_[access.pc % known_.size()];
    if (!known.is_only_counted || !is_at(known, access)) return false;
    ++accesses_;
    ++only_counted_;
    ++sites_[known.site].only_counted_lanes;
    return true;
  }

  enum class Recorded { yes, warp_is_full, too_many_sites };
  // Records an access of 1, 2, 4, 8 or 16 bytes. If the warp is full, let its other lanes catch up, then call
  // make_room().
  Recorded record(unsigned thread, const MemoryAccess& access);

  // Adds the warp's requests to the sums of their sites, and forgets them.
  void fold_requests(unsigned warp);
  void fold_all_requests();
  // Folds all warps. Call it when all threads of a block have met.
  void on_barrier() {
    fold_all_requests();
    ++barriers_;
  }
  // Folds the warp and, if other warps hold all request slots, these as well.
  void make_room(unsigned warp);
  // The number of times that the warp was folded.
  unsigned folds_of(unsigned warp) const { return windows_[warp].folds; }

  const std::vector<AccessSite>& sites() const { return sites_.all(); }
  // Returns the threads that wrote shared memory last, by word from its start. Only the worker that ran the
  // launch's first block has any.
  const std::vector<std::uint16_t>& writers() const { return writers_; }

 private:
  static constexpr std::size_t warps_of_block = 32;
  static constexpr std::size_t max_executions = 64;  // of a site by a lane between two folds
  static constexpr std::size_t max_requests = 4096;
  static constexpr std::size_t max_words = std::size_t{1} << 16;  // of shared memory whose writers are kept
  static_assert(max_requests >= max_executions);

  // The requests of one warp at one site since the last fold.
  struct Track {
    std::array<std::uint16_t, WarpSize::max_lanes> executions{};  // of the site, by lane
    std::array<std::uint16_t, max_executions> requests{};
    std::uint16_t count = 0;  // used entries of requests
  };
  struct Window {
    unsigned folds = 0;
    std::vector<std::uint16_t> sites;  // executed since the last fold
  };

  // Facts about an instruction's last access. The next one is mostly to the same array.
  struct KnownSite {
    std::uintptr_t pc = 0;  // 0: none
    std::size_t bytes = 0;
    MemoryAccess::Operation operation = MemoryAccess::Operation::load;
    enum class Memory : unsigned char { global, shared, uncounted } memory = Memory::global;
    bool is_only_counted = false;  // the addresses of further accesses are not kept
    std::uint32_t site = 0;
    AddressRange range;  // of memory that is not shared: the allocation, or the gap between allocations
  };

  bool is_at(const KnownSite& known, const MemoryAccess& access) const {
    if (known.pc != access.pc || known.bytes != access.bytes || known.operation != access.operation)
      return false;
    return shared_.contains(access.address)
               ? known.memory == KnownSite::Memory::shared
               : known.memory != KnownSite::Memory::shared && known.range.contains(access.address);
  }
  // Returns the facts about an access; none when there are too many sites.
  std::optional<KnownSite> find_site(const MemoryAccess& access);
  // Only counts the site's requests that are not folded yet: lanes that have not come to them will only be
  // counted, so these requests would have too few lanes.
  void only_count_pending(std::size_t number);
  std::optional<AccessKind> kind_of(const MemoryAccess& access);
  bool is_global(std::uintptr_t address);
  bool is_first_block() const { return block_ == Extent{0, 0, 0}; }
  void keep_writers(unsigned warp, unsigned bytes, const LaneAddresses& request);
  Track& track(std::size_t site, unsigned warp) { return tracks_[site * warps_of_block + warp]; }

  const std::vector<AddressRange>& global_;
  WarpSize warp_size_;
  AddressRange shared_, last_global_;
  AddressRange last_gap_;  // between allocations: local memory mostly lies in one
  AccessSites sites_;
  ReservedArray<Track> tracks_;
  std::array<Window, warps_of_block> windows_;
  ReservedArray<LaneAddresses> requests_;
  std::vector<std::uint16_t> free_requests_;
  Extent block_{0, 0, 0};
  std::vector<std::uint32_t> visits_;  // by site and warp, folded requests of this block
  std::vector<std::uint16_t> writers_;
  std::optional<FootprintTable> footprints_;
  SharedRequests shared_requests_ = SharedRequests::all;
  std::array<KnownSite, 256> known_{};  // by a hash of their pc
  std::uint64_t accesses_ = 0, only_counted_ = 0, barriers_ = 0;
  bool is_cut_off_ = false;
  std::optional<std::uint64_t> first_block_accesses_;  // once another block begins
};

// Sums up the sites by the line of the kernel file that they were compiled from. A site may occur several
// times. The kernel's module must still be loaded.
AccessCounts accesses_by_line(const std::vector<AccessSite>& sites);

// An allocation of one of the simulated devices.
struct OwnedMemory {
  static constexpr int every_device = -1;  // owns memory that all devices and the host may access

  AddressRange range;
  int device = 0;
  bool is_reachable = true;  // the launch's device owns it or has peer access to it
};

// Adds to the traffic between these two devices, a new entry if there is none.
void add_traffic(std::vector<device::PeerTraffic>& all, const device::PeerTraffic& traffic);

// Counts one worker's accesses to the memory of other devices. Allocates nothing while a kernel runs.
class PeerAccesses {
 public:
  // The list has the allocations of all devices, is empty if there is one device, and outlives the launch.
  void start_launch(const std::vector<OwnedMemory>& memory, int device);

  bool has_peers() const { return has_peers_; }
  void add(const MemoryAccess& access);
  // Returns the traffic of the launch.
  std::vector<device::PeerTraffic> take();

 private:
  const std::vector<OwnedMemory>* memory_ = nullptr;
  bool has_peers_ = false;
  int device_ = 0;
  std::size_t last_ = 0;  // index of the allocation last accessed
  struct Bytes {
    std::size_t loaded = 0, stored = 0, updated = 0;
  };
  std::vector<Bytes> bytes_;  // by device
};

}  // namespace gpulab::simulator::watch
