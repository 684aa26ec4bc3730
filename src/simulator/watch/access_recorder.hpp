#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/instruments.hpp"
#include "lesson/access_counts.hpp"

namespace gpulab::simulator::watch {

// The addresses that the lanes of one warp give one memory instruction, executed once.
struct LaneAddresses {
  std::uint32_t lanes = 0;  // those that take part
  std::array<std::uintptr_t, 32> of_lane;
};

// What that request asks of memory, where each lane accesses so many bytes (1, 2, 4, 8 or 16).
AccessSums sums_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses);

// How the same request lays out what it asks for, given what it asks.
AccessPattern pattern_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses,
                                 const AccessSums& sums);

// What an atomic does besides reading and writing its word, as bits.
enum AtomicTraits : unsigned {
  overwrites = 1,  // what the word held does not matter for what it will hold
  of_block = 2,    // indivisible for the threads of its block only
  acquires = 4,    // what others published with the word is known from here on
  publishes = 8,   // as a fence before it does
  only_loads = 16,
  relaxed = 64,         // says of itself that it orders nothing else
  may_have_gaps = 128,  // of a copy: bytes between the members of a structure, which nobody writes
  of_system = 256,      // also for threads of other devices
  compares = 32,        // and swaps: MemoryAccess::compared is the value that the word should hold
};

// One access of one thread to memory.
struct MemoryAccess {
  enum class Operation : unsigned char { load, store, atomic };
  Operation operation = Operation::load;
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  std::uintptr_t code = 0;   // where the kernel goes on after it
  bool is_volatile = false;  // told in kernels that are checked
  unsigned traits = 0;       // AtomicTraits
  std::uint64_t compared = 0;
};

struct AddressRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

// One memory instruction of a kernel. A place in the code that accesses different kinds of memory, or
// different numbers of bytes, counts as several.
struct AccessSite {
  std::uintptr_t code = 0;
  AccessKind kind = AccessKind::global_load;
  unsigned bytes = 0;
  AccessSums sums = {};
  AccessPattern pattern = {};
};

// The sites that a launch has come to so far, on one worker. Allocates nothing after it is made.
class AccessSites {
 public:
  // Far more than a kernel that somebody reads has.
  static constexpr std::size_t most = 512;

  AccessSites() : slots_(slot_count) { sites_.reserve(most); }

  // The site's number, which is below most; it is added if it is new. None when there is no room for it.
  std::optional<std::size_t> number_of(std::uintptr_t code, AccessKind kind, unsigned bytes);
  AccessSite& operator[](std::size_t number) { return sites_[number]; }
  const std::vector<AccessSite>& all() const { return sites_; }

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: none
    std::uint32_t site = 0;
  };
  static constexpr std::size_t slot_count = 4 * most;  // a power of two, sparsely filled

  std::vector<Slot> slots_;  // a hash table: a key stands in the first free slot from its hash on
  std::vector<AccessSite> sites_;
};

// Counts the accesses of one launch on one worker, warp by warp.
//
// The simulator runs the lanes of a warp one after another, where hardware runs them in step. So the steps
// are put together again: what the lanes of a warp do when each comes to a site for the k-th time is one
// request. That is exact where lanes come to a site equally often, and where some leave a loop earlier than
// others. It is not where lanes go through an inner loop a different number of times each time they come to
// it.
//
// The requests of a warp are kept until they are folded into the sums of their sites, after which k starts
// again: to be done wherever all lanes of the warp have come to the same place.
//
// Kernels call it on their own small stacks, so it allocates nothing after it is made.
class AccessRecorder {
 public:
  // The memory of the launch; what lies elsewhere is a thread's own or constant, and is not counted.
  explicit AccessRecorder(const std::vector<AddressRange>& global_memory);

  // Where the worker's shared memory lies.
  void set_shared_memory(const AddressRange& shared) { shared_ = shared; }

  enum class Recorded { yes, warp_is_full, too_many_sites };
  // bytes is 1, 2, 4, 8 or 16. A warp that is full needs room, once its other lanes have had time to do what
  // this one did.
  Recorded record(unsigned thread, const MemoryAccess& access);

  void fold(unsigned warp);
  void fold_all();
  // Folds the warp and, if the others have taken all memory, these as well.
  void make_room(unsigned warp);
  // How often the warp has been folded.
  unsigned folds_of(unsigned warp) const { return windows_[warp].folds; }

  const std::vector<AccessSite>& sites() const { return sites_.all(); }

 private:
  static constexpr std::size_t warps_of_block = 32;
  static constexpr std::size_t max_times = 64;  // that a lane comes to a site between two folds
  static constexpr std::size_t max_requests = 4096;
  static_assert(max_requests >= max_times);

  // The requests of one warp at one site since the last fold.
  struct Track {
    std::array<std::uint16_t, 32> times{};  // that each lane has come to the site
    std::array<std::uint16_t, max_times> requests{};
    std::uint16_t count = 0;  // of the requests
  };
  struct Window {
    unsigned folds = 0;
    std::vector<std::uint16_t> sites;  // that its warp has come to since the last fold
  };

  std::optional<AccessKind> kind_of(const MemoryAccess& access);
  bool is_global(std::uintptr_t address);
  Track& track(std::size_t site, unsigned warp) { return tracks_[site * warps_of_block + warp]; }

  const std::vector<AddressRange>& global_;
  AddressRange shared_, last_global_;
  AccessSites sites_;
  std::vector<Track> tracks_;
  std::array<Window, warps_of_block> windows_;
  std::vector<LaneAddresses> requests_;
  std::vector<std::uint16_t> free_requests_;
};

// Adds up the sites, which may stand there several times, by the line of the kernel file that they were
// compiled from. The kernel's module must still be loaded.
AccessCounts accesses_by_line(const std::vector<AccessSite>& sites);

// Memory of one of the devices that are simulated together.
struct OwnedMemory {
  AddressRange range;
  int device = 0;
  bool is_reachable = true;  // for the device in question: its own, or by peer access
};

// Adds to what has gone between these two devices before, or begins with it.
void add_traffic(std::vector<device::PeerTraffic>& all, const device::PeerTraffic& traffic);

// What the threads of one worker ask of the memory of other devices. Allocates nothing while a kernel runs.
class PeerAccesses {
 public:
  // All memory, of all devices, outlives the launch. It is empty where there is one device.
  void start_launch(const std::vector<OwnedMemory>& memory, int device);

  bool has_peers() const { return has_peers_; }
  void add(const MemoryAccess& access);
  // Of the launch.
  std::vector<device::PeerTraffic> take();

 private:
  const std::vector<OwnedMemory>* memory_ = nullptr;
  bool has_peers_ = false;
  int device_ = 0;
  std::size_t last_ = 0;  // that an access was to
  struct Bytes {
    std::size_t loaded = 0, stored = 0, updated = 0;
  };
  std::vector<Bytes> bytes_;  // by device
};

}  // namespace gpulab::simulator::watch
