#pragma once

#include <cstddef>
#include <cstdint>

namespace gpulab {

constexpr std::uint64_t most_segments = std::uint64_t{1} << 26;
constexpr std::size_t most_sites = std::size_t{1} << 11;

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
  constexpr std::uint32_t segment() const { return static_cast<std::uint32_t>(bits_ & (most_segments - 1)); }
  constexpr Kind kind() const { return static_cast<Kind>(bits_ >> 26 & 3); }
  constexpr unsigned lane() const { return static_cast<unsigned>(bits_ >> 28 & 31); }
  constexpr std::size_t site() const { return bits_ >> 33 & (most_sites - 1); }
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

  constexpr bool is_of_same_thread_and_segment(const AccessRecord& other) const {
    return segment() == other.segment() && lane() == other.lane();
  }
  constexpr bool stands_for_others() const { return bits_ & (other_thread_flag | other_block_flag); }

  friend bool operator==(const AccessRecord&, const AccessRecord&) = default;

 private:
  static constexpr int bytes_at = 44, other_thread_at = 50;
  static constexpr std::uint64_t other_thread_flag = std::uint64_t{1} << 60,
                                 other_block_flag = std::uint64_t{1} << 61;

  std::uint64_t bits_ = 0;
};

}  // namespace gpulab
