#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gpulab::simulator::watch {

// A store to data that another block reads once it has read a flag. Instructions are return addresses of
// hooks.
struct PublishedStore {
  std::uintptr_t store = 0;           // instruction
  std::uintptr_t stored_address = 0;  // of the data
  std::uintptr_t flag = 0;  // its address; an atomic or a volatile store changes the flag after the store
  std::uintptr_t flag_load = 0;  // instruction; 0 if unknown
  bool is_released = false;      // a release orders the store before the change of the flag
  bool is_acquired = true;       // the load of the flag acquires
};

// The published stores of a launch that lack a release or an acquire, and so explain a race. All workers
// share them, and nothing is allocated while a kernel runs.
class PublishedStores {
 public:
  void clear();

  // Notes that an instruction changes the flag.
  void note_change(std::uintptr_t flag, std::uintptr_t pc);
  bool is_changed(std::uintptr_t flag) const;
  // Returns the first instructions that changed the flag.
  std::vector<std::uintptr_t> changes_of(std::uintptr_t flag) const;

  // Adds a published store, unless one with the same store, flag and load of the flag is known.
  void add(const PublishedStore& published);
  // Returns the published stores by that instruction of which the load of the flag is known.
  std::vector<PublishedStore> of_store(std::uintptr_t pc) const;
  // Returns a published store that is not released before a change of that flag; null if there is none.
  const PublishedStore* before_change_of(std::uintptr_t flag) const;

 private:
  static constexpr std::size_t max_flags = 256;
  struct Changes {
    std::atomic<std::uintptr_t> flag{0};
    std::array<std::atomic<std::uintptr_t>, 3> pcs{};
  };
  // Returns the slot that the flag has, or the free one that it would take: the first from its hash on.
  // Returns max_flags if other flags hold all slots near its hash.
  std::size_t slot_of(std::uintptr_t flag) const;
  template <class Test>
  const PublishedStore* find(const Test& test) const;

  std::array<Changes, max_flags> changes_of_{};
  std::mutex mutex_;
  std::array<PublishedStore, 32> all_{};
  std::atomic<std::size_t> count_{0};
};

}  // namespace gpulab::simulator::watch
