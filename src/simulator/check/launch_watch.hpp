#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/defect.hpp"
#include "simulator/check/memory_shadow.hpp"
#include "simulator/check/segments.hpp"
#include "simulator/memory.hpp"
#include "simulator/schedule/launch.hpp"

namespace gpulab::simulator::check {

// Numbers for the memory instructions of one launch, small enough for an AccessRecord. Workers share them.
class CodeSites {
 public:
  static constexpr std::size_t none = max_sites;

  void clear() {
    for (auto& code : codes_) code.store(0, std::memory_order_relaxed);
    for (auto& store : volatile_stores_) store.store(false, std::memory_order_relaxed);
    for (auto& read : reads_for_swap_) read.store(false, std::memory_order_relaxed);
    count_ = 0;
  }

  // The number of the instruction, which it gets if it has none; none when there are too many. 0 is nobody's.
  std::size_t number_of(std::uintptr_t code) {
    std::size_t place = (code * 0x9E3779B97F4A7C15u) >> 53;
    for (;; place = (place + 1) % max_sites) {
      if (codes_[place].load(std::memory_order_relaxed) == code) [[likely]]
        return place;
      if (place == 0) continue;
      std::uintptr_t empty = 0;
      if (codes_[place].load(std::memory_order_relaxed) != 0) continue;
      if (count_.fetch_add(1, std::memory_order_relaxed) >= max_sites * 3 / 4) return none;
      if (codes_[place].compare_exchange_strong(empty, code) || empty == code) return place;
    }
  }

  // A store to volatile memory, of which the record is that of an atomic.
  void set_volatile_store(std::size_t number) {
    volatile_stores_[number].store(true, std::memory_order_relaxed);
  }
  DefectAccess access(const AccessRecord& record) const {
    if (volatile_stores_[record.site()].load(std::memory_order_relaxed)) return DefectAccess::store;
    return static_cast<DefectAccess>(record.kind());
  }

  // A plain load of a word that its thread compares and swaps next, against the value that it loaded.
  void set_read_for_swap(std::size_t number) {
    reads_for_swap_[number].store(true, std::memory_order_relaxed);
  }
  bool is_read_for_swap(std::uintptr_t code) {
    const std::size_t number = number_of(code);
    return number != none && reads_for_swap_[number].load(std::memory_order_relaxed);
  }

  std::uintptr_t code(std::size_t number) const { return codes_[number].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uintptr_t>, max_sites> codes_{};  // by hash, the next free one
  std::array<std::atomic<bool>, max_sites> volatile_stores_{}, reads_for_swap_{};
  std::atomic<std::size_t> count_{0};
};

// A piece of memory that the kernels of a launch may use.
struct WatchedRegion {
  count::AddressRange range;
  count::AddressRange allowed;     // less guards, and what an allocation has only by being rounded up
  int device = 0;                  // whose it is,
  bool is_reachable = true;        // and whether the launch's device may access it
  MemoryShadow* shadow = nullptr;  // none of constant memory
  const char* variable = "";       // its name in the kernel file
};

class WorkBeside;

// What the workers that run a launch together know of it.
class LaunchWatch {
 public:
  // Accesses of earlier launches are before all of this one. The module's own tables and strings, in the rest
  // of its image, may be read.
  // There may be so many accesses in all; 0 for any number.
  void start(std::vector<WatchedRegion> regions, const schedule::SimulatedLaunch& launch,
             std::size_t max_accesses);

  // The device that the launch runs on.
  int device() const { return device_; }
  // Work that nothing orders with the launch; null if there is none.
  void set_beside(WorkBeside* beside) {
    beside_ = beside;
    looks_further_ = looks_further_ || beside;
  }
  WorkBeside* beside() const { return beside_; }
  // Whether a launch is not alone: there are other devices, or other work.
  bool looks_further() const { return looks_further_; }

  // Where malloc() in kernels finds memory.
  bool is_heap(const WatchedRegion* region) const { return region == &heap_region_; }
  const WatchedRegion& heap_region() const { return heap_region_; }
  const DeviceHeap& heap() const { return *heap_; }

  const WatchedRegion* region_of(std::uintptr_t address) const;
  std::span<const WatchedRegion> regions() const { return regions_; }
  const count::AddressRange& module_image() const { return module_image_; }
  // Records in lower segments are of earlier launches.
  std::uint32_t first_segment() const { return first_segment_; }

  // Whether the kernel's file has an atomicCAS.
  bool compares_and_swaps() const { return compares_and_swaps_; }

  // Counts what a worker's threads have done; false when that is more than there may be.
  bool count_accesses(std::size_t accesses) {
    const std::size_t before = accesses_.fetch_add(accesses, std::memory_order_relaxed);
    return max_accesses_ == 0 || before + accesses <= max_accesses_;
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
  count::AddressRange module_image_;
  std::uint32_t first_segment_ = 1;
  std::size_t max_accesses_ = 0;
  bool compares_and_swaps_ = false;
  int device_ = 0;
  bool looks_further_ = false;
  WorkBeside* beside_ = nullptr;
  DeviceHeap* heap_ = nullptr;
  MemoryShadow heap_shadow_;
  WatchedRegion heap_region_;
  std::atomic<std::size_t> accesses_{0};
  std::array<std::atomic_flag, 64> locks_{};
};

}  // namespace gpulab::simulator::check
