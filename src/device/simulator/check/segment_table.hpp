#pragma once

#include <atomic>
#include <cstdint>

#include "device/simulator/check/access_record.hpp"
#include "device/simulator/check/reserved_memory.hpp"

namespace gpulab {

// A stretch of one warp's work: what AccessRecord::segment stands for.
struct Segment {
  std::uint32_t block = 0;      // its number in the grid
  std::uint32_t warp : 5 = 0;   // of the block
  std::uint32_t tick : 27 = 0;  // how many warp operations the warp has come through in this block
};

// All segments of all launches, numbered from 1. Workers take numbers in pieces, so those of one worker
// ascend.
class SegmentTable {
 public:
  static constexpr std::uint32_t piece = 256;

  SegmentTable() : segments_(most_segments, ReservedBytes::Use::dense) {}

  // The first of that many numbers that are the caller's; 0 when there are none left.
  std::uint32_t take_piece() {
    const std::uint64_t first = next_.fetch_add(piece, std::memory_order_relaxed);
    return first + piece <= most_segments ? static_cast<std::uint32_t>(first) : 0;
  }
  // The number that no segment has reached.
  std::uint32_t end() const { return static_cast<std::uint32_t>(next_.load(std::memory_order_relaxed)); }
  bool is_half_full() const { return next_.load(std::memory_order_relaxed) > most_segments / 2; }
  // Forgets what the segments were; their numbers stay taken.
  void clear() { segments_.clear(); }
  // Gives all numbers out again. No record may have one any more.
  void restart() { next_ = 1; }

  Segment& operator[](std::uint64_t number) const { return segments_[number]; }

 private:
  ReservedArray<Segment> segments_;
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace gpulab
