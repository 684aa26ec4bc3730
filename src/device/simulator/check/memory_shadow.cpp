#include "device/simulator/check/memory_shadow.hpp"

#include <algorithm>

namespace gpulab {

void MemoryShadow::set_state(const AddressRange& bytes, unsigned shift, bool on) {
  const std::uintptr_t from = std::max(bytes.begin, memory_.begin);
  const std::uintptr_t to = std::min(bytes.begin + bytes.bytes, memory_.begin + memory_.bytes);
  if (from >= to) return;
  const std::size_t begin = from - memory_.begin, end = to - memory_.begin;
  const auto set = [&](std::size_t word, unsigned of_word) {
    const auto bits = static_cast<std::uint8_t>(of_word << shift);
    states_[word] = static_cast<std::uint8_t>(on ? states_[word] | bits : states_[word] & ~bits);
  };
  const std::size_t first = begin / word_bytes, last = (end - 1) / word_bytes;
  set(first, bytes_of_word(first, begin, end));
  set(last, bytes_of_word(last, begin, end));
  std::uint8_t* const states = states_.data();
  const auto whole = static_cast<std::uint8_t>(0xF << shift);
  if (on)
    for (std::size_t word = first + 1; word < last; ++word) states[word] |= whole;
  else
    for (std::size_t word = first + 1; word < last; ++word) states[word] &= static_cast<std::uint8_t>(~whole);
}

}  // namespace gpulab
