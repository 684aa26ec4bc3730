#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/simulator/check/reserved_memory.hpp"
#include "device/simulator/check/word_history.hpp"
#include "device/simulator/count/memory_access.hpp"

namespace gpulab {

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

}  // namespace gpulab
