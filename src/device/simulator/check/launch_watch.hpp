#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "device/simulator/check/code_sites.hpp"
#include "device/simulator/check/memory_shadow.hpp"
#include "device/simulator/check/release_log.hpp"
#include "device/simulator/check/segment_table.hpp"

namespace gpulab {

// A piece of memory that the kernels of a launch may use.
struct WatchedRegion {
  AddressRange range;
  AddressRange allowed;            // less guards, and what an allocation has only by being rounded up
  MemoryShadow* shadow = nullptr;  // none of constant memory
  const char* variable = "";       // its name in the kernel file
};

// What the workers that run a launch together know of it.
class LaunchWatch {
 public:
  // Accesses of earlier launches are before all of this one. The module's own tables and strings, in the rest
  // of its image, may be read.
  // There may be so many accesses in all; 0 for any number.
  void start(std::vector<WatchedRegion> regions, const AddressRange& module_image, std::size_t most_accesses);

  const WatchedRegion* region_of(std::uintptr_t address) const;
  std::span<const WatchedRegion> regions() const { return regions_; }
  const AddressRange& module_image() const { return module_image_; }
  // Records in lower segments are of earlier launches.
  std::uint32_t first_segment() const { return first_segment_; }

  // Counts what a worker's threads have done; false when that is more than there may be.
  bool count_accesses(std::size_t accesses) {
    const std::size_t before = accesses_.fetch_add(accesses, std::memory_order_relaxed);
    return most_accesses_ == 0 || before + accesses <= most_accesses_;
  }
  std::size_t accesses() const { return accesses_.load(std::memory_order_relaxed); }

  // While it lives, nobody else works on the history of that word.
  class HistoryLock {
   public:
    HistoryLock(LaunchWatch& watch, std::size_t word) : flag_(watch.locks_[word % watch.locks_.size()]) {
      while (flag_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~HistoryLock() { flag_.clear(std::memory_order_release); }
    HistoryLock(const HistoryLock&) = delete;
    HistoryLock& operator=(const HistoryLock&) = delete;

   private:
    std::atomic_flag& flag_;
  };

  SegmentTable segments;
  ReleaseLog releases;
  CodeSites sites;

 private:
  std::vector<WatchedRegion> regions_;  // ascending
  AddressRange module_image_;
  std::uint32_t first_segment_ = 1;
  std::size_t most_accesses_ = 0;
  std::atomic<std::size_t> accesses_{0};
  std::array<std::atomic_flag, 64> locks_{};
};

}  // namespace gpulab
