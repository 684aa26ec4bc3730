#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "simulator/count/access_recorder.hpp"

namespace gpulab::simulator::check {

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
  explicit MemoryShadow(const count::AddressRange& memory)
      : memory_(memory),
        words_((memory.bytes + word_bytes - 1) / word_bytes),
        states_(words_, ReservedBytes::Use::dense),
        cells_(words_, ReservedBytes::Use::dense),
        histories_(words_, ReservedBytes::Use::sparse) {}

  const count::AddressRange& memory() const { return memory_; }
  std::size_t words() const { return words_; }

  // Bits 0 to 3: the bytes that may be accessed; bits 4 to 7: those that have been written.
  std::uint8_t* states() const { return states_.data(); }
  // An AccessRecord each.
  std::uint64_t& cell(std::size_t word) const { return cells_[word]; }
  // Of words for which one record is not enough.
  WordHistory& history(std::size_t word) const { return histories_[word]; }

  void set_allowed(const count::AddressRange& bytes, bool allowed) { set_state(bytes, 0, allowed); }
  void set_written(const count::AddressRange& bytes, bool written) { set_state(bytes, 4, written); }
  void forget_accesses() {
    cells_.clear();
    histories_.clear();
  }

 private:
  void set_state(const count::AddressRange& bytes, unsigned shift, bool on);

  count::AddressRange memory_;
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

}  // namespace gpulab::simulator::check
