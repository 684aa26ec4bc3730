#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "simulator/check/memory_shadow.hpp"

namespace gpulab::simulator::check {

// A stretch of one warp's work: what AccessRecord::segment stands for.
struct Segment {
  std::uint32_t block = 0;  // its number in the grid
  std::uint32_t warp = 0;   // of the block
};

// Whom a fence or an atomic is meant for.
enum class Scope : unsigned char { block, device };

// All segments of all launches, numbered from 1. Workers take numbers in pieces, so those of one worker
// ascend.
class SegmentTable {
 public:
  static constexpr std::uint32_t piece = 256;

  SegmentTable() : segments_(max_segments, ReservedBytes::Use::dense) {}

  // The first of that many numbers that are the caller's; 0 when there are none left.
  std::uint32_t take_piece() {
    const std::uint64_t first = next_.fetch_add(piece, std::memory_order_relaxed);
    return first + piece <= max_segments ? static_cast<std::uint32_t>(first) : 0;
  }
  // The number that no segment has reached.
  std::uint32_t end() const { return static_cast<std::uint32_t>(next_.load(std::memory_order_relaxed)); }
  bool is_half_full() const { return next_.load(std::memory_order_relaxed) > max_segments / 2; }
  // Forgets what the segments were; their numbers stay taken.
  void clear() { segments_.clear(); }
  // Gives all numbers out again. No record may have one any more.
  void restart() { next_ = 1; }

  Segment& operator[](std::uint64_t number) const { return segments_[number]; }

 private:
  ReservedArray<Segment> segments_;
  std::atomic<std::uint64_t> next_{1};
};

// By lane of a warp: what that lane did in lower segments.
using LaneBounds = std::array<std::uint32_t, 32>;

// What threads have published: an atomic after a __threadfence() hands everything before the fence to whoever
// comes to the same variable with an atomic later, as the last block of a reduction does. Workers share the
// log of a launch. It is empty, and costs nothing, while no kernel has a fence.
class ReleaseLog {
 public:
  struct Release {
    std::uintptr_t variable = 0;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;           // of the block
    LaneBounds warp_before{};         // what is published of the warp's accesses
    std::uint32_t others_before = 0;  // of the rest of the block, those in lower segments
    Scope scope = Scope::device;      // who may rely on it
    std::uint32_t earlier = 0;        // release of a block with the same hash
  };

  ReleaseLog() : releases_(max_releases, ReservedBytes::Use::sparse) {}
  void clear();

  bool is_used() const { return count_.load(std::memory_order_acquire) > 1; }
  // How many there are: all that somebody who comes to a variable now can see.
  std::uint32_t end() const { return count_.load(std::memory_order_acquire); }
  // Whether anything was published on that variable. It may say so wrongly.
  bool has(std::uintptr_t variable) const;

  void add(const Release& release);

  // Whether somebody who saw the variable's releases up to `end` knows of that access; those that are meant
  // for the block alone count if that is where he is.
  bool covers(std::uintptr_t variable, std::uint32_t end, std::uint32_t block, std::uint32_t thread,
              std::uint32_t segment, bool is_in_block) const;
  // Whether the block is among those who published anything there.
  bool has_from(std::uint32_t block, std::uintptr_t variable, std::uint32_t end, bool is_in_block) const {
    return covers(variable, end, block, 0, 0, is_in_block);
  }

 private:
  static constexpr std::uint32_t max_releases = 1u << 20;
  static constexpr std::size_t hashes = 1 << 14;
  static std::size_t hash(std::uint64_t number) { return (number * 0x9E3779B97F4A7C15u) >> 50; }

  std::mutex mutex_;
  ReservedArray<Release> releases_;
  std::atomic<std::uint32_t> count_{1};                      // 0 is none
  std::array<std::atomic<std::uint32_t>, hashes> latest_{};  // by block
  std::array<std::atomic<bool>, hashes> variables_{};
  std::atomic<bool> is_full_{false};
};

}  // namespace gpulab::simulator::check
