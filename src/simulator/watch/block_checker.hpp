#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/schedule/fibers.hpp"
#include "simulator/watch/async_copies.hpp"
#include "simulator/watch/block_order.hpp"
#include "simulator/watch/defect_log.hpp"
#include "simulator/watch/launch_watch.hpp"
#include "simulator/watch/race_check.hpp"
#include "simulator/watch/undefined_values.hpp"

namespace gpulab::simulator::watch {

class RegionUses;

// Checks every memory access of the blocks that one worker runs, and logs the defects: races, uninitialised
// reads, and accesses out of bounds.
//
// Kernels call it on their own small stacks, so it allocates nothing while a block runs.
class BlockChecker {
 public:
  // Accesses to other devices' memory are added to `peers`.
  BlockChecker(LaunchWatch& watch, PeerAccesses& peers)
      : watch_(watch), peers_(peers), order_(watch.segments, watch.releases), races_(watch, order_) {}

  // A variable in shared memory, or all of the dynamic shared memory.
  struct SharedVariable {
    AddressRange range;
    const char* name = "";
    bool is_written = false;  // before the block begins
  };

  // Begins a launch, with the worker's shared memory, the variables in it that the kernel may use, and the
  // addresses of the worker's threadIdx, blockIdx and so on.
  void start_launch(const AddressRange& shared, std::vector<SharedVariable> variables,
                    const AddressRange& index_variables, WarpSize warp_size);
  void start_block(std::uint32_t block, unsigned threads);

  // How the block proceeds after an access. `stop` follows a defect, which is logged. `out_of_ids`: the
  // launch has more instructions or segments than can be numbered. `over_limit`: it exceeds its limit of
  // accesses.
  enum class Verdict { go_on, stop, out_of_ids, over_limit };
  // Checks an access before it is performed, on the thread's own stack.
  Verdict on_access(unsigned thread, const MemoryAccess& access);
  // Fast paths of on_access() for a plain load or store. They return false if the access needs on_access().
  // For an access to the thread's own variables; `frame` is the hook's.
  bool try_own_access(std::uintptr_t address, std::uintptr_t frame);
  // For a block in which races are looked for.
  bool try_recorded_access(unsigned thread, MemoryAccess::Operation operation, std::uintptr_t address,
                           std::size_t bytes, std::uintptr_t pc);
  // For any other block.
  bool try_unrecorded_access(unsigned thread, MemoryAccess::Operation operation, std::uintptr_t address,
                             std::size_t bytes, std::uintptr_t pc);
  // Returns whether the next access may be tried by try_unrecorded_access(): the block is not recorded, and
  // nothing else asks for on_access().
  bool allows_quick_access() const {
    return std::bit_cast<std::uint64_t>(flags_) == 0 && !undefined_values_.any();
  }
  bool is_recording() const { return flags_.is_recording; }
  // Returns whether the next plain access must go through on_access().
  bool needs_full_check() const {
    return flags_.has_race_of_stores || flags_.has_taken_long || flags_.has_devices_or_swaps ||
           undefined_values_.any();
  }

  void on_barrier(unsigned live_threads, int line) {
    settle();
    order_.on_barrier(live_threads);
    barrier_line_ = line;
  }
  // Notes that the block has come to a barrier of the grid.
  void on_grid_barrier() { watch_.grid_barriers.arrive(order_.block(), order_.next_segment()); }
  void on_warp_operation(unsigned warp, LaneMask lanes, bool is_whole_warp) {
    settle();
    order_.on_warp_operation(warp, lanes, is_whole_warp);
  }
  void on_fence(unsigned thread, Scope scope) {
    settle();
    if (scope == Scope::device) unfenced_stores_[thread].count = 0;
    order_.on_fence(thread, scope);
  }
  // Starts a copy, which ends later (async_copies.cpp). Call it after on_access() for its load and its store.
  void start_copy(const AsyncCopy& copy);
  void commit_copies(unsigned thread) { copies_.commit(thread); }
  // Removes and returns a copy that the thread has waited for; null if none is left. The last
  // `groups_to_keep` committed groups stay. The caller then calls on_access() for the copy's store again, and
  // move_bytes().
  const AsyncCopy* take_copy(unsigned thread, unsigned groups_to_keep);
  static void move_bytes(const AsyncCopy& copy);
  // Call these at a cuda::barrier: when a thread arrives, unless all live threads take part; when all have
  // arrived; when one has waited.
  void on_arrival(unsigned thread, std::uintptr_t barrier) { order_.arrive(thread, barrier); }
  void on_end_of_phase(std::uintptr_t barrier);
  void on_wait_for_phase(unsigned thread, std::uintptr_t barrier) { order_.wait_for_phase(thread, barrier); }
  // Marks a block of the device's heap: it can be accessed between malloc() and free().
  void on_malloc(const AddressRange& bytes);
  void on_free(const AddressRange& bytes);
  // Completes the checks that need the result of the last access. Call it before a switch to another thread,
  // and at the end of a thread.
  void settle() {
    settle_atomic();
    settle_store();
  }
  // Values that lanes read from inactive lanes, in a shuffle.
  UndefinedValues& undefined_values() { return undefined_values_; }
  // Logs a read from an inactive lane, and the store of what it read.
  void add_inactive_source(const UndefinedValues::Origin& origin,
                           const std::optional<FoundDefect::Party>& use = {});
  // Returns whether a racing store is not done yet, so that no other thread may run. The next hook can be
  // that of a load: when GCC copies a structure, it calls the store's hook before the load's.
  bool has_pending_store() const { return flags_.has_race_of_stores; }

  // Returns the defect of a thread that was stopped at the limit of accesses, with their number.
  FoundDefect too_many_accesses(unsigned thread, const MemoryAccess& access) const;
  // Returns the defect of a thread that waits for a change of that word, which never comes.
  FoundDefect endless_wait(unsigned thread, const MemoryAccess& access) const;

  // The number of stores and atomics so far. While it stays the same, no waiting thread can go on.
  std::uint64_t changes() const { return changes_; }
  // Uncounts the last atomic, which left its word unchanged.
  void take_back_change() {
    --changes_;
    if (uncounted_ > 0) --uncounted_;
  }
  // Returns a hash of the thread's accesses since the last call.
  std::uint64_t take_trace(unsigned thread) { return progress_[thread].take_trace(); }
  // Returns whether a thread has run for long without a switch, and resets that. Then others should run.
  bool take_long_run() { return flags_.has_taken_long && std::exchange(flags_.has_taken_long, false); }

  const LaunchWatch& launch_watch() const { return watch_; }

  void add(const FoundDefect& defect) { log_.add(defect); }
  // Notes the return address of a call in which the thread may wait.
  void note_call(unsigned thread, const void* pc) {
    progress_[thread].call = reinterpret_cast<std::uintptr_t>(pc);
  }
  // Returns the thread as it waits in that line, with the address of its last noted call. If the line is
  // unknown (0), the address is 0, too.
  FoundDefect::Party party(unsigned thread, int line) const;
  std::vector<FoundDefect> take_defects() { return log_.take(); }

 private:
  bool count_batch(unsigned thread);
  // An access and the memory that it is in. The region is null for shared memory.
  struct CheckedAccess {
    unsigned thread;
    const MemoryAccess& access;
    MemoryShadow& shadow;
    const WatchedRegion* region;
  };
  // How an access is ordered with accesses of other threads. The default is a plain access, which is not.
  struct Strength {
    bool is_volatile = false, is_strong_load = false, is_atomic = false;
    Scope scope = Scope::device;
  };
  static Strength strength_of(const CheckedAccess& checked);
  static constexpr AccessRecord::Kind kind_of(MemoryAccess::Operation operation) {
    switch (operation) {
      case MemoryAccess::Operation::load:
        return AccessRecord::load;
      case MemoryAccess::Operation::store:
        return AccessRecord::store;
      default:
        return AccessRecord::atomic;
    }
  }
  // An access is special if it is volatile, an atomic or has traits, or if other devices or operations may
  // access the memory.
  template <bool is_special>
  Verdict on_words(const CheckedAccess& checked, std::size_t site);
  template <bool is_special>
  bool check_words(const CheckedAccess& checked, const AccessRecord& record, bool is_strong_load);
  void on_volatile(const CheckedAccess& checked, std::size_t site);
  void note_flag_or_store(const CheckedAccess& checked, const Strength& strength);
  void begin_atomic(const CheckedAccess& checked, const Strength& strength);
  Verdict on_unreachable_peer(const CheckedAccess& checked);
  Verdict on_constant(unsigned thread, const MemoryAccess& access, const WatchedRegion* region,
                      std::size_t site);
  bool is_allowed(std::uintptr_t address, std::size_t bytes) const;
  bool add_race_with_copy(unsigned thread, const MemoryAccess& access);
  bool look_for_races(const CheckedAccess& checked, std::size_t word, const AccessRecord& record,
                      bool is_strong_load, bool is_logged);
  void check_concurrent_ops(const CheckedAccess& checked, std::size_t word, const AccessRecord& record,
                            bool is_strong_load);
  Verdict on_unwatched_memory(unsigned thread, const MemoryAccess& access);
  std::uint32_t segment_of(unsigned thread) { return order_.segment_of(order_.warp_size().warp_of(thread)); }
  const WatchedRegion* nearest_region(std::uintptr_t address) const;

  FoundDefect defect_at(DefectKind kind, unsigned thread, const MemoryAccess& access,
                        const WatchedRegion* region) const;
  void add_defect_at(DefectKind kind, const CheckedAccess& checked);
  void add_defect_of_state(const CheckedAccess& checked, bool is_outside, bool is_unset,
                           std::size_t unset_from);
  void name_shared_variable(FoundDefect& defect) const;
  FoundDefect race_with(const RaceCheck::Conflict& conflict, const CheckedAccess& checked) const;
  void judge_later(const FoundDefect& race);
  void add_race(const RaceCheck::Conflict& conflict, const CheckedAccess& checked);
  Verdict stop_with(FoundDefect defect);
  void remember_read(unsigned thread, const MemoryAccess& access, std::size_t site);
  void look_for_read_before(unsigned thread, const MemoryAccess& swap);
  // Looks for another thread's store between the thread's volatile load of the word and this volatile store.
  void look_for_lost_update(const CheckedAccess& checked);
  void settle_atomic() {
    if (std::exchange(flags_.has_atomic, false))
      order_.after_atomic(atomic_thread_, atomic_address_, atomic_scope_);
  }
  void settle_store() {
    if (flags_.has_race_of_stores) judge_store();
    if (undefined_values_.any()) report_use_of_undefined();
  }
  void judge_store();
  void report_use_of_undefined();

  // Accesses are added to the shared counter in batches, so that workers do not contend for it.
  static constexpr std::size_t batch_size = 1024;

  LaunchWatch& watch_;
  PeerAccesses& peers_;
  BlockOrder order_;
  RaceCheck races_;
  DefectLog log_;
  MemoryShadow shared_;
  AsyncCopies copies_;
  UndefinedValues undefined_values_;
  std::vector<SharedVariable> shared_variables_;
  AddressRange index_variables_;

  // The memory that an instruction accessed last. An instruction mostly accesses the same array again.
  struct CachedRange {
    std::uintptr_t pc = 0;
    AddressRange range;
    std::uint8_t* states = nullptr;  // null for constant memory
    std::uint64_t* cells = nullptr;
    const WatchedRegion* region = nullptr;  // null for shared memory
    std::size_t site = 0;
    // The launch's accesses to the range's words, if a later stream operation can be concurrent with them.
    RegionUses* uses = nullptr;
    // An access at a smaller offset than this fits into the range; 0 if each access needs on_access().
    std::size_t offset_limit = 0;
  };
  CachedRange range_for(const WatchedRegion* region, const MemoryAccess& access, std::size_t site);
  CachedRange& cached_range(std::uintptr_t pc) {
    return cached_ranges_[pc * 0x9E3779B97F4A7C15u >> (64 - cached_range_bits)];
  }

  // Returns whether all bytes of an access may be accessed and are written. `begin` is the access's offset in
  // its region, and the first state is that of the word there.
  static bool are_written(const std::uint8_t* states, std::size_t begin, std::size_t bytes) {
    const std::size_t first_byte = begin % MemoryShadow::word_bytes;
    if (bytes < MemoryShadow::word_bytes) {
      const unsigned mask = ((1u << bytes) - 1) * 0x11 << first_byte;  // in both halves of the state
      return first_byte + bytes <= MemoryShadow::word_bytes && (*states & mask) == mask;
    }
    std::uint32_t all = ~0u;  // the states of up to four words
    std::memcpy(&all, states, bytes / MemoryShadow::word_bytes);
    return first_byte == 0 && all == ~0u;
  }
  void note_uses(unsigned thread, const CachedRange& cached, const MemoryAccess& access);
  void count_access(unsigned thread, bool is_load, std::uintptr_t address) {
    ++uncounted_;
    Progress& progress = progress_[thread];
    progress.count_access();
    if (is_load)
      progress.add_to_trace(address);
    else
      ++changes_;
  }
  // Marks whole words, to which a thread stores, as written. Returns false if it may not access them.
  bool try_mark_words_written(std::uint8_t* states, std::size_t begin, std::size_t bytes) const;

  static constexpr std::uintptr_t stack_bytes = schedule::FiberStacks::usable_bytes;  // a thread's stack
  static constexpr std::size_t own_accesses_per_count = 16;  // as many count as one access: they cost little

  std::size_t uncounted_ = 0;      // not yet added to the watch
  std::size_t uncounted_own_ = 0;  // the same, to a thread's own variables
  std::uint64_t changes_ = 0;
  // The thread that completed the last batches of accesses, and their number.
  unsigned batch_thread_ = 0, batches_ = 0;
  // Conditions under which a plain access needs on_access(). They are tested by one comparison of 8 bytes.
  struct alignas(8) Flags {
    bool has_devices_or_swaps = false;  // the launch has several devices, or its kernel a compare-and-swap
    bool is_recording = false;          // in this block, to look for races
    bool has_taken_long = false;
    bool has_atomic = false;           // see atomic_thread_
    bool has_race_of_stores = false;   // see race_of_stores_
    std::array<bool, 3> padding = {};  // so that std::bit_cast reads no undefined bytes
  };
  Flags flags_;
  int barrier_line_ = 0;  // the last barrier in this block
  // The last atomic. Once it is done, the thread acquires the variable's releases.
  unsigned atomic_thread_ = 0;
  std::uintptr_t atomic_address_ = 0;
  Scope atomic_scope_ = Scope::device;
  // The last plain reads, by a hash of thread and address, if the kernel has a compare-and-swap.
  struct PlainRead {
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
    std::uint32_t thread = 0, block = 0;
    std::size_t site = 0;
  };
  static constexpr std::size_t remembered_loads = 4096;  // slot_of() returns 12 bits
  std::vector<PlainRead> reads_;
  // Volatile loads, by a hash of thread and address.
  struct VolatileLoad {
    std::uintptr_t address = 0;
    std::uint32_t thread = 0, segment = 0;
  };
  std::vector<VolatileLoad> volatile_loads_;
  // The last store, if it races with another one. If it leaves the memory unchanged, the race is only a note,
  // or is not reported if the store ends a volatile update.
  FoundDefect race_of_stores_;
  bool is_volatile_update_ = false;
  std::array<unsigned char, 16> bytes_before_{};

  // A thread's last stores since its last fence, if they are volatile or other operations are concurrent.
  struct UnfencedStores {
    struct Store {
      std::uintptr_t address = 0, pc = 0;
      std::size_t bytes = 0;
    };
    std::array<Store, 4> last;
    std::size_t count = 0;

    void add(const MemoryAccess& store) {
      last[count++ % last.size()] = {store.address, store.pc, store.bytes};
    }
  };
  void note_unfenced_store(const CheckedAccess& checked, bool is_flag);
  // The block's last loads of flags that may publish data, one for each instruction, the latest first.
  struct FlagLoad {
    std::uintptr_t flag = 0, pc = 0;
    bool is_acquired = false;
  };
  std::array<FlagLoad, 4> flag_loads_{};
  void note_flag_access(const MemoryAccess& access);
  void note_published_store(const RaceCheck::Conflict& conflict, const MemoryAccess& access);

  // Large tables come last, so that the fields each access needs lie close together.
  static constexpr unsigned cached_range_bits = 8;
  std::array<CachedRange, 1u << cached_range_bits> cached_ranges_{};  // by a hash of the instruction
  // A thread's accesses in this block. Their number and a hash of the loads since take_trace() share a word,
  // so that one addition can change both.
  struct Progress {
    std::uint64_t number_and_trace = 0;
    std::uintptr_t call = 0;  // the last one that note_call() was told of

    void count_access() { ++number_and_trace; }
    void add_to_trace(std::uintptr_t address) { number_and_trace += std::uint64_t{address} << 32; }
    std::uint32_t accesses() const { return static_cast<std::uint32_t>(number_and_trace); }
    std::uint64_t take_trace() { return std::exchange(number_and_trace, accesses()) >> 32; }
  };
  std::array<Progress, 1024> progress_{};               // by thread
  std::array<UnfencedStores, 1024> unfenced_stores_{};  // by thread
};

[[gnu::always_inline]] inline bool BlockChecker::try_own_access(std::uintptr_t address,
                                                                std::uintptr_t frame) {
  if (address - frame >= stack_bytes) return false;
  const bool is_counted = (uncounted_own_ + 1) % own_accesses_per_count == 0;
  if (is_counted && uncounted_ + 1 >= batch_size) return false;
  uncounted_ += is_counted;
  ++uncounted_own_;
  return true;
}

[[gnu::always_inline]] inline bool BlockChecker::try_unrecorded_access(unsigned thread,
                                                                       MemoryAccess::Operation operation,
                                                                       std::uintptr_t address,
                                                                       std::size_t bytes, std::uintptr_t pc) {
  const CachedRange& cached = cached_range(pc);
  const std::size_t begin = address - cached.range.begin;
  const bool is_load = operation == MemoryAccess::Operation::load;
  if (cached.pc != pc || begin >= cached.offset_limit || uncounted_ + 1 >= batch_size) return false;
  if (!cached.states) return is_load;
  std::uint8_t* const states = cached.states + begin / MemoryShadow::word_bytes;
  if (!are_written(states, begin, bytes) && (is_load || !try_mark_words_written(states, begin, bytes)))
    return false;
  if (cached.uses) [[unlikely]]
    note_uses(thread, cached, {operation, address, bytes, pc});
  count_access(thread, is_load, address);
  return true;
}

[[gnu::always_inline]] inline bool BlockChecker::try_recorded_access(unsigned thread,
                                                                     MemoryAccess::Operation operation,
                                                                     std::uintptr_t address,
                                                                     std::size_t bytes, std::uintptr_t pc) {
  const bool is_load = operation == MemoryAccess::Operation::load;
  const CachedRange& cached = cached_range(pc);
  const std::size_t begin = address - cached.range.begin;
  const std::size_t first_byte = begin % MemoryShadow::word_bytes;
  const unsigned mask = bytes >= MemoryShadow::word_bytes ? 0xF : ((1u << bytes) - 1) << first_byte;
  const bool fits = bytes >= MemoryShadow::word_bytes ? first_byte == 0 : mask <= 0xF;
  if (cached.pc != pc || begin >= cached.offset_limit || !fits || uncounted_ + 1 >= batch_size) return false;
  if (!cached.states) return is_load;
  settle_atomic();
  const std::uint32_t segment = segment_of(thread);
  if (segment == 0) return false;
  const AccessRecord mine(is_load ? AccessRecord::load : AccessRecord::store, segment,
                          order_.warp_size().lane_of(thread), cached.site, mask);
  const unsigned needed = is_load ? mask | mask << 4 : mask;
  for (std::size_t offset = 0; offset < bytes; offset += MemoryShadow::word_bytes) {
    const std::size_t word = (begin + offset) / MemoryShadow::word_bytes;
    const unsigned state = cached.states[word];
    if ((state & needed) != needed ||
        !races_.try_record_fast(cached.cells[word], cached.region == nullptr, mine, thread))
      return false;
    if (!is_load && (state >> 4 & mask) != mask) watch_.set_written(cached.states[word], mask);
  }
  if (cached.uses) [[unlikely]]
    note_uses(thread, cached, {operation, address, bytes, pc});
  count_access(thread, is_load, address);
  return true;
}

}  // namespace gpulab::simulator::watch
