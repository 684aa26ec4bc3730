#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/defect.hpp"
#include "device/simulator/check/access_record.hpp"

namespace gpulab {

// Numbers for the memory instructions of one launch, small enough for an AccessRecord. Workers share them.
class CodeSites {
 public:
  static constexpr std::size_t none = most_sites;

  void clear() {
    for (auto& code : codes_) code.store(0, std::memory_order_relaxed);
    for (auto& store : volatile_stores_) store.store(false, std::memory_order_relaxed);
    count_ = 0;
  }

  // The number of the instruction, which it gets if it has none; none when there are too many. 0 is nobody's.
  std::size_t number_of(std::uintptr_t code) {
    std::size_t place = (code * 0x9E3779B97F4A7C15u) >> 53;
    for (;; place = (place + 1) % most_sites) {
      if (codes_[place].load(std::memory_order_relaxed) == code) [[likely]]
        return place;
      if (place == 0) continue;
      std::uintptr_t empty = 0;
      if (codes_[place].load(std::memory_order_relaxed) != 0) continue;
      if (count_.fetch_add(1, std::memory_order_relaxed) >= most_sites * 3 / 4) return none;
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

  std::uintptr_t code(std::size_t number) const { return codes_[number].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uintptr_t>, most_sites> codes_{};  // by hash, the next free one
  std::array<std::atomic<bool>, most_sites> volatile_stores_{};
  std::atomic<std::size_t> count_{0};
};

}  // namespace gpulab
