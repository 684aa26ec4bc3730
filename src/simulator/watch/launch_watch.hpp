#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "lesson/finding.hpp"
#include "simulator/memory.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::watch {

// Zeroed memory of which only what is touched counts: it can be far larger than the machine's.
class ReservedBytes {
 public:
  ReservedBytes() = default;
  // Dense memory is touched from end to end, and so is had in large pages where the system has them. Throws
  // DeviceError when the process may not have so many addresses.
  enum class Use { dense, sparse };
  ReservedBytes(std::size_t bytes, Use use);
  ~ReservedBytes();
  ReservedBytes(ReservedBytes&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ReservedBytes& operator=(ReservedBytes&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* begin() const { return begin_; }
  // Gives the memory back; it is zero again.
  void clear();

 private:
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

// The same as an array of T, for which zero bytes must be a value.
template <class T>
class ReservedArray {
 public:
  ReservedArray() = default;
  ReservedArray(std::size_t count, ReservedBytes::Use use) : memory_(count * sizeof(T), use) {}

  T& operator[](std::size_t index) const { return static_cast<T*>(memory_.begin())[index]; }
  T* data() const { return static_cast<T*>(memory_.begin()); }
  void clear() { memory_.clear(); }

 private:
  ReservedBytes memory_;
};

constexpr std::uint64_t max_segments = std::uint64_t{1} << 26;
constexpr std::size_t max_sites = std::size_t{1} << 11;

// One remembered access to a word, in 64 bits: memory that is watched needs twice its size for them.
//
// The segment is a stretch of one warp's work between two barriers or warp operations; it tells the block and
// the warp (SegmentTable). Reads and atomics by many threads do not conflict with each other, so the first of
// them stands for all, with as much of the others as there is room for: one more thread of its block, and
// that there was one of another block.
class AccessRecord {
 public:
  enum Kind : std::uint64_t { load, store, atomic, history };  // history: see WordHistory

  constexpr AccessRecord() = default;  // nothing is remembered; the segment is 0
  constexpr explicit AccessRecord(std::uint64_t bits) : bits_(bits) {}
  // The site is the instruction's number (CodeSites); of the word's four bytes, each has one bit.
  constexpr AccessRecord(Kind kind, std::uint32_t segment, unsigned lane, std::size_t site, unsigned bytes)
      : bits_(segment | kind << 26 | std::uint64_t{lane} << 28 | std::uint64_t{site} << 33 |
              std::uint64_t{bytes} << bytes_at) {}

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr std::uint32_t segment() const { return static_cast<std::uint32_t>(bits_ & (max_segments - 1)); }
  constexpr Kind kind() const { return static_cast<Kind>(bits_ >> 26 & 3); }
  constexpr unsigned lane() const { return static_cast<unsigned>(bits_ >> 28 & 31); }
  constexpr std::size_t site() const { return bits_ >> 33 & (max_sites - 1); }
  constexpr unsigned bytes() const { return static_cast<unsigned>(bits_ >> bytes_at & 0xF); }
  constexpr bool has_other_thread() const { return bits_ & other_thread_flag; }
  constexpr unsigned other_thread() const { return static_cast<unsigned>(bits_ >> other_thread_at & 1023); }
  constexpr bool has_other_block() const { return bits_ & other_block_flag; }

  constexpr AccessRecord with_bytes(unsigned bytes) const {
    return AccessRecord((bits_ & ~(std::uint64_t{0xF} << bytes_at)) | std::uint64_t{bytes} << bytes_at);
  }
  // To a record that has none yet.
  constexpr AccessRecord with_other_thread(unsigned thread) const {
    return AccessRecord(bits_ | other_thread_flag | std::uint64_t{thread} << other_thread_at);
  }
  constexpr AccessRecord with_other_block() const { return AccessRecord(bits_ | other_block_flag); }
  // An atomic that is one for its block only.
  constexpr bool is_of_block() const { return bits_ & of_block_flag; }
  constexpr AccessRecord of_block() const { return AccessRecord(bits_ | of_block_flag); }

  constexpr bool is_of_same_thread_and_segment(const AccessRecord& other) const {
    return segment() == other.segment() && lane() == other.lane();
  }
  constexpr bool stands_for_others() const { return bits_ & (other_thread_flag | other_block_flag); }

  friend bool operator==(const AccessRecord&, const AccessRecord&) = default;

 private:
  static constexpr int bytes_at = 44, other_thread_at = 50;
  static constexpr std::uint64_t other_thread_flag = std::uint64_t{1} << 60,
                                 other_block_flag = std::uint64_t{1} << 61,
                                 of_block_flag = std::uint64_t{1} << 62;

  std::uint64_t bits_ = 0;
};

// What has to be known of a byte to find every race on it (after FastTrack: Flanagan and Freund, PLDI 2009):
// the last write, and the atomics and the reads since, of each a record that stands for all. A write that was
// ordered after all of them replaces them: what would race with them will race with it.
struct ByteHistory {
  AccessRecord write, atomic, read;
};

using WordHistory = std::array<ByteHistory, 4>;

// Most words need no more than one record, of the bytes that it has.
WordHistory history_of(const AccessRecord& only);
// False when it takes more than one record to say the same.
bool is_one_record(const WordHistory& history, AccessRecord& record);

// What is remembered of a piece of memory, word by word (4 bytes): which of its bytes may be accessed and
// which have been written, and who accessed it last. All of it is zero until it is touched.
class MemoryShadow {
 public:
  static constexpr std::size_t word_bytes = 4;

  MemoryShadow() = default;
  // begin is a multiple of word_bytes.
  explicit MemoryShadow(const AddressRange& memory)
      : memory_(memory),
        words_((memory.bytes + word_bytes - 1) / word_bytes),
        states_(words_, ReservedBytes::Use::dense),
        cells_(words_, ReservedBytes::Use::dense),
        histories_(words_, ReservedBytes::Use::sparse) {}

  const AddressRange& memory() const { return memory_; }
  std::size_t words() const { return words_; }

  // Bits 0 to 3: the bytes that may be accessed; bits 4 to 7: those that have been written.
  std::uint8_t* states() const { return states_.data(); }
  // An AccessRecord each.
  std::uint64_t& cell(std::size_t word) const { return cells_[word]; }
  // Of words for which one record is not enough.
  WordHistory& history(std::size_t word) const { return histories_[word]; }

  void set_allowed(const AddressRange& bytes, bool allowed) { set_state(bytes, 0, allowed); }
  void set_written(const AddressRange& bytes, bool written) { set_state(bytes, 4, written); }
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

// The bytes of a word that an access touches, one bit each, where it touches the word at all.
constexpr unsigned bytes_of_word(std::size_t word, std::size_t begin, std::size_t end) {
  const std::size_t first = word * MemoryShadow::word_bytes;
  const unsigned from = begin > first ? static_cast<unsigned>(begin - first) : 0;
  const unsigned to = end < first + MemoryShadow::word_bytes ? static_cast<unsigned>(end - first)
                                                             : unsigned{MemoryShadow::word_bytes};
  return (1u << to) - (1u << from);
}

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
  AddressRange range;
  AddressRange allowed;            // less guards, and what an allocation has only by being rounded up
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
  const AddressRange& module_image() const { return module_image_; }
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
  AddressRange module_image_;
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

}  // namespace gpulab::simulator::watch
