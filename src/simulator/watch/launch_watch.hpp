#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "lesson/finding.hpp"
#include "simulator/memory.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/access_recorder.hpp"
#include "simulator/watch/published_stores.hpp"
#include "simulator/watch/release_log.hpp"
#include "simulator/watch/reserved_array.hpp"
#include "simulator/watch/undefined_values.hpp"

namespace gpulab::simulator::watch {

constexpr std::size_t max_sites = std::size_t{1} << 11;  // AccessRecord has 11 bits for a site

// The contents of a shadow cell: one past access to a word, in 64 bits. Shadow cells need twice the memory
// that they watch.
//
// The segment and the lane are the access's epoch. Reads do not conflict with reads, and atomics do not
// conflict with atomics, so one record holds several of them: the first access, one more thread of its block,
// and a flag that says that another block made such an access, too. Coalesced accesses of consecutive lanes
// to the bytes or halves of a word share one record, too.
class AccessRecord {
 public:
  enum Kind : std::uint64_t { load, store, atomic, history };  // history: the access history is a WordHistory

  constexpr AccessRecord() = default;  // an empty cell; its segment is 0
  constexpr explicit AccessRecord(std::uint64_t bits) : bits_(bits) {}
  // The site is the instruction's number (InstructionSites). The bytes are a mask of the word's four bytes.
  constexpr AccessRecord(Kind kind, std::uint32_t segment, unsigned lane, std::size_t site, unsigned bytes)
      : bits_(segment | kind << 26 | std::uint64_t{lane} << 28 | std::uint64_t{site} << 34 |
              std::uint64_t{bytes} << bytes_at) {}

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr std::uint32_t segment() const { return static_cast<std::uint32_t>(bits_ & (max_segments - 1)); }
  constexpr Kind kind() const { return static_cast<Kind>(bits_ >> 26 & 3); }
  constexpr unsigned lane() const { return static_cast<unsigned>(bits_ >> 28 & 63); }
  constexpr std::size_t site() const { return bits_ >> 34 & (max_sites - 1); }
  constexpr unsigned bytes() const { return static_cast<unsigned>(bits_ >> bytes_at & 0xF); }
  constexpr bool has_other_thread() const { return bits_ & other_thread_flag; }
  constexpr unsigned other_thread() const { return static_cast<unsigned>(bits_ >> other_thread_at & 1023); }
  constexpr bool has_other_block() const { return bits_ & other_block_flag; }

  constexpr AccessRecord with_bytes(unsigned bytes) const {
    return AccessRecord((bits_ & ~(std::uint64_t{0xF} << bytes_at)) | std::uint64_t{bytes} << bytes_at);
  }
  // Requires that the record has no other thread yet.
  constexpr AccessRecord with_other_thread(unsigned thread) const {
    return AccessRecord(bits_ | other_thread_flag | std::uint64_t{thread} << other_thread_at);
  }
  constexpr AccessRecord with_other_block() const { return AccessRecord(bits_ | other_block_flag); }
  // Returns whether it is an atomic with the scope of its block (atomicAdd_block and the like).
  constexpr bool has_block_scope() const { return bits_ & block_scope_flag; }
  constexpr AccessRecord with_block_scope() const { return AccessRecord(bits_ | block_scope_flag); }

  // Returns whether consecutive lanes have accessed the parts of the word, from the record's lane on.
  constexpr bool is_of_lanes() const { return bits_ & lanes_flag; }
  // Returns the record of the lane that has accessed one of the bytes.
  constexpr AccessRecord of_byte(unsigned byte) const {
    const unsigned lane = is_of_lanes() ? byte >> (bits_ >> halves_at & 1) : 0;
    return AccessRecord((bits_ & ~(lanes_flag | halves_flag)) + (std::uint64_t{lane} << 28));
  }
  // Returns the record with the next lane's access to its byte or half of the word; an empty record unless
  // the accesses are alike but for that.
  constexpr AccessRecord with_lane(const AccessRecord& next) const;

  constexpr bool is_of_same_thread_and_segment(const AccessRecord& other) const {
    return segment() == other.segment() && lane() == other.lane();
  }
  constexpr bool has_others() const { return bits_ & (other_thread_flag | other_block_flag); }

  friend bool operator==(const AccessRecord&, const AccessRecord&) = default;

 private:
  static constexpr int bytes_at = 45, halves_at = 49, other_thread_at = 50;
  static constexpr std::uint64_t halves_flag = std::uint64_t{1} << halves_at,
                                 lanes_flag = std::uint64_t{1} << 63;
  static constexpr std::uint64_t other_thread_flag = std::uint64_t{1} << 60,
                                 other_block_flag = std::uint64_t{1} << 61,
                                 block_scope_flag = std::uint64_t{1} << 62;

  std::uint64_t bits_ = 0;
};

constexpr AccessRecord AccessRecord::with_lane(const AccessRecord& next) const {
  const auto width = static_cast<unsigned>(std::popcount(next.bytes()));  // of a part of the word
  const auto part_of = [&](const AccessRecord& record) {
    return static_cast<unsigned>(std::countr_zero(record.bytes())) / width;
  };
  const auto is_part = [&](const AccessRecord& record) {
    return record.bytes() == ((1u << width) - 1) << (part_of(record) * width);
  };
  if (width > 2 || !is_part(next) || (bytes() & next.bytes()) != 0) return {};
  const std::uint64_t part_flags = lanes_flag | (width == 2 ? halves_flag : 0);
  if (is_of_lanes() ? (bits_ & (lanes_flag | halves_flag)) != part_flags : !is_part(*this)) return {};
  constexpr std::uint64_t lane_and_bytes = std::uint64_t{63} << 28 | std::uint64_t{0xF} << bytes_at,
                          differing = lane_and_bytes | lanes_flag | halves_flag;
  const unsigned first = is_of_lanes() ? lane() : lane() - part_of(*this);
  if (((bits_ ^ next.bits_) & ~differing) != 0 || first > 63 || next.lane() - part_of(next) != first)
    return {};
  return AccessRecord((bits_ & ~lane_and_bytes) | part_flags | std::uint64_t{first} << 28)
      .with_bytes(bytes() | next.bytes());
}

// The access history of a byte, as in FastTrack: the last write, and the atomics and the reads since, with
// one record for all of a kind. A write replaces all records that happen before it: an access that
// races with a replaced record races with the write, too.
struct ByteHistory {
  AccessRecord write, atomic, read;
  AccessRecord volatile_read;  // races with volatile stores only

  // Drops records in lower segments.
  void forget_before(std::uint32_t first) {
    for (AccessRecord* record : {&write, &atomic, &read, &volatile_read})
      if (record->segment() < first) *record = {};
  }

  friend bool operator==(const ByteHistory&, const ByteHistory&) = default;
};

using WordHistory = std::array<ByteHistory, 4>;

// Expands a shadow cell into an access history. Most words never need more than the cell.
WordHistory history_of(const AccessRecord& only);
// Merges the history into one record. Returns false where that would lose something.
bool try_merge(const WordHistory& history, AccessRecord& merged);

// Shadow memory of a range, word by word (4 bytes): which bytes may be accessed, which have been written, a
// shadow cell, and an access history where the cell is not enough. All of it is zero until it is touched.
class MemoryShadow {
 public:
  static constexpr std::size_t word_bytes = 4;

  MemoryShadow() = default;
  // Requires that the memory begins at a multiple of word_bytes.
  explicit MemoryShadow(const AddressRange& memory)
      : memory_(memory),
        words_((memory.bytes + word_bytes - 1) / word_bytes),
        states_(words_, ReservedBytes::Use::filled),
        cells_(words_, ReservedBytes::Use::dense),
        histories_(words_, ReservedBytes::Use::sparse) {}

  const AddressRange& memory() const { return memory_; }
  std::size_t words() const { return words_; }

  // A state for each word. Bits 0 to 3: bytes that may be accessed; bits 4 to 7: bytes that are written.
  std::uint8_t* states() const { return states_.data(); }
  // The shadow cell, an AccessRecord.
  std::uint64_t& cell(std::size_t word) const { return cells_[word]; }
  // The access history, valid while the kind of the cell is AccessRecord::history.
  WordHistory& history(std::size_t word) const { return histories_[word]; }

  void set_allowed(const AddressRange& bytes, bool allowed) { set_state(bytes, 0, allowed); }
  void set_written(const AddressRange& bytes, bool written) { set_state(bytes, 4, written); }
  // Returns the offset of the first byte in [begin, end) that is written, or is not; `end` if there is none.
  std::size_t first_byte(bool is_written, std::size_t begin, std::size_t end) const;
  void forget_accesses() {
    cells_.clear();
    histories_.clear();
  }

 private:
  void set_state(const AddressRange& bytes, unsigned shift, bool on);

  AddressRange memory_;
  std::size_t words_ = 0;
  ReservedArray<std::uint8_t> states_;
  ReservedArray<std::uint64_t> cells_;
  ReservedArray<WordHistory> histories_;
};

// Returns a mask of the word's bytes that an access to [begin, end) touches. It must touch the word.
constexpr unsigned bytes_of_word(std::size_t word, std::size_t begin, std::size_t end) {
  const std::size_t first = word * MemoryShadow::word_bytes;
  const unsigned from = begin > first ? static_cast<unsigned>(begin - first) : 0;
  const unsigned to = end < first + MemoryShadow::word_bytes ? static_cast<unsigned>(end - first)
                                                             : unsigned{MemoryShadow::word_bytes};
  return (1u << to) - (1u << from);
}

// The order of a cooperative launch's blocks by the barriers of its grid.
class GridBarriers {
 public:
  // Begins a launch; with 0 blocks it has no barriers of the grid.
  void start(std::size_t blocks) {
    arrived_.assign(blocks, 0);
    before_barrier_ = arrived_;
  }
  // Notes that a block has come to the barrier: its accesses so far are in segments below `end`.
  void arrive(std::uint32_t block, std::uint32_t end) { arrived_[block] = end; }
  // Call it when all blocks have arrived, before any of them goes on.
  void open() { before_barrier_ = arrived_; }
  // Returns whether the block's accesses in that segment happen before the last barrier.
  bool happens_before(std::uint32_t block, std::uint32_t segment) const {
    return block < before_barrier_.size() && segment < before_barrier_[block];
  }

 private:
  // By block, one past its last segment: before the barrier that it has come to, and before the last barrier
  // that has opened.
  std::vector<std::uint32_t> arrived_, before_barrier_;
};

// Numbers of a launch's memory instructions, small enough for an AccessRecord. Workers share them.
class InstructionSites {
 public:
  static constexpr std::size_t none = max_sites;

  void clear() {
    for (auto& pc : pcs_) pc.store(0, std::memory_order_relaxed);
    for (auto& store : volatile_stores_) store.store(false, std::memory_order_relaxed);
    for (auto& read : reads_for_swap_) read.store(false, std::memory_order_relaxed);
    count_ = 0;
  }

  // Returns the number of the instruction, a new one at its first access; none when there are too many. No
  // instruction has 0.
  std::size_t number_of(std::uintptr_t pc) {
    std::size_t slot = (pc * 0x9E3779B97F4A7C15u) >> 53;
    for (;; slot = (slot + 1) % max_sites) {
      if (pcs_[slot].load(std::memory_order_relaxed) == pc) [[likely]]
        return slot;
      if (slot == 0) continue;
      std::uintptr_t found = 0;
      if (pcs_[slot].load(std::memory_order_relaxed) != 0) continue;
      if (count_.fetch_add(1, std::memory_order_relaxed) >= max_sites * 3 / 4) return none;
      if (pcs_[slot].compare_exchange_strong(found, pc) || found == pc) return slot;
    }
  }

  // Marks an instruction as a volatile store, which is recorded as an atomic.
  void set_volatile_store(std::size_t number) {
    volatile_stores_[number].store(true, std::memory_order_relaxed);
  }
  bool is_volatile_store(const AccessRecord& record) const {
    return volatile_stores_[record.site()].load(std::memory_order_relaxed);
  }
  DefectAccess access(const AccessRecord& record) const {
    if (is_volatile_store(record)) return DefectAccess::store;
    return static_cast<DefectAccess>(record.kind());
  }

  // Marks a plain load whose value the same thread then passes to a compare-and-swap of that word.
  void set_read_for_swap(std::size_t number) {
    reads_for_swap_[number].store(true, std::memory_order_relaxed);
  }
  bool is_read_for_swap(std::uintptr_t pc) {
    const std::size_t number = number_of(pc);
    return number != none && reads_for_swap_[number].load(std::memory_order_relaxed);
  }

  std::uintptr_t pc(std::size_t number) const { return pcs_[number].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uintptr_t>, max_sites> pcs_{};  // an open-addressing hash table
  std::array<std::atomic<bool>, max_sites> volatile_stores_{}, reads_for_swap_{};
  std::atomic<std::size_t> count_{0};
};

// A range of memory that the kernels of a launch may use.
struct WatchedRegion {
  AddressRange range;
  AddressRange allowed;      // without guards, and without the rest of the last page
  int device = 0;            // its owner
  bool is_reachable = true;  // by the launch's device
  bool is_shared_with_host = false;
  MemoryShadow* shadow = nullptr;  // null for constant memory
  const char* variable = "";       // its name in the kernel file
};

class ConcurrentOps;

// The race detector's state of one launch, shared by all workers that run it.
class LaunchWatch {
 public:
  // Begins a launch. The accesses of earlier launches happen before all accesses of this launch. Reads of the
  // module's tables and strings, in the rest of its image, are allowed. The launch ends after max_accesses.
  // After recorded_accesses, only a sample of its blocks is recorded (records_block()). 0 means no limit.
  void start(std::vector<WatchedRegion> regions, const schedule::SimulatedLaunch& launch,
             std::size_t max_accesses, std::size_t recorded_accesses);

  // The device that the launch runs on.
  int device() const { return device_; }
  // Stream operations that are concurrent with the launch; null if there are none.
  void set_concurrent_ops(ConcurrentOps* concurrent_ops) { concurrent_ops_ = concurrent_ops; }
  ConcurrentOps* concurrent_ops() const { return concurrent_ops_; }
  bool has_other_devices() const { return has_other_devices_; }

  // The heap from which malloc() in kernels allocates.
  bool is_heap(const WatchedRegion* region) const { return region == &heap_region_; }
  const WatchedRegion& heap_region() const { return heap_region_; }
  const DeviceHeap& heap() const { return *heap_; }

  const WatchedRegion* region_of(std::uintptr_t address) const;
  std::span<const WatchedRegion> regions() const { return regions_; }
  // Returns the index of one of them.
  std::size_t number_of(const WatchedRegion& region) const {
    return static_cast<std::size_t>(&region - regions_.data());
  }
  const AddressRange& module_image() const { return module_image_; }
  // Shadow cells with lower segments are left from earlier launches.
  std::uint32_t first_segment() const { return first_segment_; }

  // Returns whether one block runs at a time.
  bool is_in_order() const { return is_in_order_; }
  // Marks bytes of a word as written. Two workers may write different ones at the same time.
  void set_written(std::uint8_t& state, unsigned bytes) const {
    const std::atomic_ref<std::uint8_t> shared(state);
    const auto bits = static_cast<std::uint8_t>(bytes << 4);
    if (is_in_order_)
      shared.store(shared.load(std::memory_order_relaxed) | bits, std::memory_order_relaxed);
    else
      shared.fetch_or(bits, std::memory_order_relaxed);
  }
  // Returns whether the kernel's file has an atomicCAS.
  bool compares_and_swaps() const { return compares_and_swaps_; }

  // Adds a worker's accesses to the launch's; false when they exceed the limit.
  bool count_accesses(std::size_t accesses) {
    const std::size_t earlier = accesses_.fetch_add(accesses, std::memory_order_relaxed);
    return max_accesses_ == 0 || earlier + accesses <= max_accesses_;
  }
  std::size_t accesses() const { return accesses_.load(std::memory_order_relaxed); }

  // Returns whether to record the accesses of a block that begins now, to look for races between them. All
  // blocks are recorded until the launch has made recorded_accesses. After that, only a few blocks that are
  // spread over the grid are recorded, and the last ones, where a missing bounds guard shows. All defects but
  // races are looked for in every block.
  bool records_block(std::uint32_t block);
  // Return the numbers of blocks that began recorded, and unrecorded.
  std::size_t recorded_blocks() const { return recorded_blocks_.load(std::memory_order_relaxed); }
  std::size_t unrecorded_blocks() const { return unrecorded_blocks_.load(std::memory_order_relaxed); }

  // Locks the access history of a word while it lives; one spin lock serves many words.
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

  // Notes that the launch reads a constant variable, up to an address.
  void note_constant_read(const WatchedRegion& variable, std::uintptr_t end) {
    const std::lock_guard lock(constants_mutex_);
    std::uintptr_t& end_of_reads = constants_[variable.range.begin];
    end_of_reads = std::max(end_of_reads, end);
  }
  // Returns the end of what was read of each constant variable, by the variable's first address.
  const std::map<std::uintptr_t, std::uintptr_t>& constants() const { return constants_; }

  SegmentTable segments;
  ReleaseLog releases;
  GridBarriers grid_barriers;
  InstructionSites sites;
  PublishedStores published_stores;
  UndefinedOperands undefined_operands;

 private:
  std::vector<WatchedRegion> regions_;  // ascending
  AddressRange module_image_;
  std::uint32_t first_segment_ = 1;
  std::size_t max_accesses_ = 0, recorded_accesses_ = 0, blocks_ = 0;
  bool is_in_order_ = false, compares_and_swaps_ = false;
  int device_ = 0;
  bool has_other_devices_ = false;
  ConcurrentOps* concurrent_ops_ = nullptr;
  DeviceHeap* heap_ = nullptr;
  MemoryShadow heap_shadow_;
  WatchedRegion heap_region_;
  std::atomic<std::size_t> accesses_{0}, recorded_blocks_{0}, unrecorded_blocks_{0};
  std::array<std::atomic_flag, 64> locks_{};
  std::mutex constants_mutex_;
  std::map<std::uintptr_t, std::uintptr_t> constants_;
};

}  // namespace gpulab::simulator::watch
