#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "device/simulator/check/reserved_memory.hpp"

namespace gpulab {

// What threads have published: an atomic after a __threadfence() hands everything before the fence to whoever
// comes to the same variable with an atomic later, as the last block of a reduction does. Workers share the
// log of a launch. It is empty, and costs nothing, while no kernel has a fence.
class ReleaseLog {
 public:
  struct Release {
    std::uintptr_t variable = 0;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;         // of the block
    std::uint32_t own_before = 0;     // the thread's accesses in lower segments are published
    std::uint32_t others_before = 0;  // those of the rest of its block in lower segments
    std::uint32_t earlier = 0;        // release of a block with the same hash
  };

  ReleaseLog() : releases_(most_releases, ReservedBytes::Use::sparse) {}
  void clear();

  bool is_used() const { return count_.load(std::memory_order_acquire) > 1; }
  // How many there are: all that somebody who comes to a variable now can see.
  std::uint32_t end() const { return count_.load(std::memory_order_acquire); }
  // Whether anything was published on that variable. It may say so wrongly.
  bool has(std::uintptr_t variable) const;

  void add(const Release& release);

  // Whether somebody who saw the variable's releases up to `end` knows of that access.
  bool covers(std::uintptr_t variable, std::uint32_t end, std::uint32_t block, std::uint32_t thread,
              std::uint32_t segment) const;

 private:
  static constexpr std::uint32_t most_releases = 1u << 20;
  static constexpr std::size_t hashes = 1 << 14;
  static std::size_t hash(std::uint64_t number) { return (number * 0x9E3779B97F4A7C15u) >> 50; }

  std::mutex mutex_;
  ReservedArray<Release> releases_;
  std::atomic<std::uint32_t> count_{1};                      // 0 is none
  std::array<std::atomic<std::uint32_t>, hashes> latest_{};  // by block
  std::array<std::atomic<bool>, hashes> variables_{};
  std::atomic<bool> is_full_{false};
};

}  // namespace gpulab
