#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gpulab::simulator::watch {

// A store that another block reads after it has read a flag. Instructions are return addresses of hooks.
struct PublishedStore {
  std::uintptr_t store = 0, stored_at = 0;  // instruction and address
  std::uintptr_t flag = 0;                  // changed by an atomic, or by a volatile store, after the store
  std::uintptr_t flag_load = 0;             // instruction; 0 if unknown
  bool is_released = false;                 // before the flag changes
  bool is_acquired = true;                  // by the flag's load
};

// The published stores of a launch that lack a release or an acquire, and so explain a race. All workers
// share them, and nothing is allocated while a kernel runs.
class PublishedStores {
 public:
  void clear();

  // Notes that an instruction changes the flag.
  void note_change(std::uintptr_t flag, std::uintptr_t pc);
  bool is_changed(std::uintptr_t flag) const { return changes_of_[slot_of(flag)].flag == flag; }
  // Returns the first instructions that changed the flag.
  std::vector<std::uintptr_t> changes_of(std::uintptr_t flag) const;

  // Adds one, if none is known of that store, that flag and that load.
  void add(const PublishedStore& published);
  // Returns the published stores by that instruction whose flag was loaded.
  std::vector<PublishedStore> of_store(std::uintptr_t pc) const;
  // Returns one that is not released before a change of that flag; null if there is none.
  const PublishedStore* before_change_of(std::uintptr_t flag) const;

 private:
  static constexpr std::size_t max_flags = 256;
  struct Changes {
    std::atomic<std::uintptr_t> flag{0};
    std::array<std::atomic<std::uintptr_t>, 3> pcs{};
  };
  static std::size_t slot_of(std::uintptr_t flag) { return (flag * 0x9E3779B97F4A7C15u) >> 56; }
  template <class Test>
  const PublishedStore* find(const Test& test) const;

  std::array<Changes, max_flags> changes_of_{};  // by hash, of the first flag with it
  std::mutex mutex_;
  std::array<PublishedStore, 32> all_{};
  std::atomic<std::size_t> count_{0};
};

}  // namespace gpulab::simulator::watch
