#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "lesson/access_counts.hpp"
#include "simulator/watch/reserved_array.hpp"

namespace gpulab::simulator::watch {

constexpr std::uint64_t max_segments = std::uint64_t{1} << 26;  // AccessRecord has 26 bits for a segment

// One warp's work between two synchronisations: the clock in an epoch.
struct Segment {
  std::uint32_t block = 0;  // its number in the grid
  std::uint32_t warp = 0;   // of the block
};

// The threads for which a fence or an atomic synchronises: those of the block, or all of the device.
enum class Scope : unsigned char { block, device };

// The releases on one variable whose numbers in the log are below `end`.
struct ReleasesBelow {
  std::uintptr_t variable = 0;
  std::uint32_t end = 0;

  bool contain(const ReleasesBelow& other) const { return variable == other.variable && end >= other.end; }
};

// All segments of all launches, numbered from 1. A worker takes numbers in pieces, so its numbers ascend.
class SegmentTable {
 public:
  static constexpr std::uint32_t piece_size = 256;

  SegmentTable() : segments_(max_segments, ReservedBytes::Use::dense) {}

  // Returns the first of `piece_size` numbers that now belong to the caller; 0 when there are none left.
  std::uint32_t take_piece() {
    const std::uint64_t first = next_.fetch_add(piece_size, std::memory_order_relaxed);
    return first + piece_size <= max_segments ? static_cast<std::uint32_t>(first) : 0;
  }
  // One past the highest number taken.
  std::uint32_t end() const { return static_cast<std::uint32_t>(next_.load(std::memory_order_relaxed)); }
  bool is_half_full() const { return next_.load(std::memory_order_relaxed) > max_segments / 2; }
  // Frees the memory of segments that belong to earlier launches, if it is much; the numbers stay taken.
  void clear() {
    constexpr std::uint32_t many = 1u << 18;  // segments: 2 MiB
    if (end() - cleared_ < many) return;
    segments_.clear();
    cleared_ = end();
  }
  // Begins again with the first number. No shadow cell may hold a number any more.
  void restart() {
    next_ = 1;
    cleared_ = 1;
  }

  Segment& operator[](std::uint64_t number) const { return segments_[number]; }

 private:
  ReservedArray<Segment> segments_;
  std::atomic<std::uint64_t> next_{1};
  std::uint32_t cleared_ = 1;
};

// A vector clock over the lanes of a warp: the accesses of a lane in segments below its entry are included.
using LaneClocks = std::array<std::uint32_t, WarpSize::max_lanes>;

// The releases of a launch: an atomic after a __threadfence() releases all that happened before the fence to
// every later atomic on the same variable, which acquires it. The last block of a reduction relies on that.
// All workers share the log; it is empty, and costs nothing, while no kernel has a fence.
class ReleaseLog {
 public:
  struct Release {
    std::uintptr_t variable = 0;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;           // of the block
    LaneClocks warp_before{};         // published accesses of the releasing warp
    std::uint32_t others_before = 0;  // the same for the block's other warps
    Scope scope = Scope::device;      // which threads can acquire it
    std::uint32_t time = 0;           // the block's segments from this one on began later
  };

  ReleaseLog()
      : releases_(max_releases, ReservedBytes::Use::sparse),
        clocks_(std::size_t{max_releases} * WarpSize::max_lanes, ReservedBytes::Use::sparse),
        acquires_(max_acquires, ReservedBytes::Use::sparse) {
    acquirers_.reserve(max_acquirers);
  }
  void clear();
  // Call it while there are no releases.
  void set_warp_size(WarpSize warp_size) { lanes_ = warp_size.lanes(); }

  bool is_used() const { return count_.load(std::memory_order_acquire) > 1; }
  // One past the last release: an acquire now sees those below.
  std::uint32_t end() const { return count_.load(std::memory_order_acquire); }
  // Returns whether the variable has releases. The answer can be true by a hash collision.
  bool has(std::uintptr_t variable) const;

  void add(const Release& release);

  // Returns whether that access happens before an acquire of the variable's releases below `end`.
  // Releases with the scope of their block count only for a thread of that block (is_in_block).
  bool covers(std::uintptr_t variable, std::uint32_t end, const Segment& past, unsigned lane,
              std::uint32_t segment, bool is_in_block) const;
  // Returns whether the block has releases on the variable below `end`. Each of them covers segment 0.
  bool has_from(std::uint32_t block, std::uintptr_t variable, std::uint32_t end, bool is_in_block) const {
    return covers(variable, end, {.block = block}, 0, 0, is_in_block);
  }

  // An acquire of a variable's releases below `end`, with the scope of the device.
  struct Acquire {
    std::uintptr_t variable = 0;
    std::uint32_t end = 0;
    std::uint32_t segment = 0;  // in which it was made
    unsigned lane = 0;
  };
  // Keeps an acquire, which later releases of its thread pass on. `segment` is the acquire's segment. Returns
  // the acquire's number, 0 if there are too many.
  std::uint32_t keep(const Acquire& acquire, const Segment& segment);
  // Notes that the acquire was made again, and sees the releases below `end`.
  void repeat(std::uint32_t acquire, std::uint32_t end);
  // Returns whether that access happens before an acquire through releases and acquires of other variables:
  // one thread hands on what it has learned from another.
  bool passes_on(std::uintptr_t variable, std::uint32_t end, const Segment& past, unsigned lane,
                 std::uint32_t segment);

 private:
  static constexpr std::uint32_t max_releases = 1u << 20;
  static constexpr std::uint32_t max_acquires = 1u << 20;
  static constexpr std::uint32_t max_acquirers = 1u << 14;  // passes_on() looks at each of them
  static constexpr std::size_t hashes = 1 << 14;           // hash() returns 14 bits
  static std::size_t hash(std::uint64_t number) { return (number * 0x9E3779B97F4A7C15u) >> 50; }

  std::mutex mutex_;
  // The links of an entry in a chain, whose latest entry comes first. The shortcuts form a skew-binary list
  // (Myers 1983), so that a search takes as many steps as the logarithm of the chain's length.
  struct Link {
    std::uint32_t earlier = 0, shortcut = 0;  // previous entries; 0 is none
    std::uint32_t length = 0;                 // of the chain from here
  };
  template <class T>
  static Link link_to(const ReservedArray<T>& entries, std::uint32_t latest);
  // Returns the latest entry of a chain that is not too late. All entries before such an entry must not be
  // too late either.
  template <class T, class IsTooLate>
  static std::uint32_t latest_of(const ReservedArray<T>& entries, std::uint32_t latest,
                                 const IsTooLate& is_too_late);
  // A release without the clock of its warp, which has as many entries as a warp has lanes.
  struct ReleaseEntry {
    std::uintptr_t variable = 0;
    std::uint32_t block = 0, warp = 0, others_before = 0;
    Scope scope = Scope::device;
    std::uint32_t time = 0;
    Link link;
  };
  // A thread that acquires a variable.
  struct Acquirer {
    std::uintptr_t variable = 0;
    Segment thread;  // its block and warp
    unsigned lane = 0;
    std::uint32_t latest = 0;  // the number of its last acquire
    std::uint32_t next = 0;    // one past the index of the next acquirer with the same hash; 0 is none
  };
  struct AcquireEntry {
    std::uint32_t end = 0, segment = 0;
    Link link;
  };
  std::uint32_t* clock_of(std::uint32_t release) const {
    return clocks_.data() + std::size_t{release} * lanes_;
  }
  // A block's releases on a variable are in one chain, the last ones first.
  static std::size_t chain_of(std::uint32_t block, std::uintptr_t variable) {
    return hash(variable ^ std::uint64_t{block} << 40);
  }
  bool is_repeated(std::uint32_t number, const Release& release) const;
  Acquirer* acquirer_of(const Acquire& acquire, const Segment& segment);

  unsigned lanes_ = WarpSize().lanes();
  ReservedArray<ReleaseEntry> releases_;
  ReservedArray<std::uint32_t> clocks_;
  std::atomic<std::uint32_t> count_{1};                      // 0 is none
  std::array<std::atomic<std::uint32_t>, hashes> latest_{};  // by chain
  std::array<std::atomic<bool>, hashes> variables_{};
  std::atomic<bool> is_full_{false};
  ReservedArray<AcquireEntry> acquires_;
  std::uint32_t acquire_count_ = 1;  // 0 is none
  std::vector<Acquirer> acquirers_;
  std::array<std::uint32_t, hashes> first_acquirer_{};  // one past its index, by hash
  bool forgot_acquires_ = false;
  std::uintptr_t first_variable_ = 0;
  std::atomic<bool> has_several_variables_{false};
};

}  // namespace gpulab::simulator::watch
