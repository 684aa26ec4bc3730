#include "simulator/check/memory_shadow.hpp"

#include <sys/mman.h>
#include <algorithm>

#include "device/device.hpp"

namespace gpulab::simulator::check {

ReservedBytes::ReservedBytes(std::size_t bytes, Use use) : bytes_(bytes) {
  if (bytes == 0) return;
  void* const reserved =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    throw device::DeviceError("watching a kernel", "CUDA_ERROR_OUT_OF_MEMORY",
                              "there are no addresses for " + std::to_string(bytes) +
                                  " bytes; raise the limit (ulimit -v) or choose a smaller size");
  begin_ = reserved;
  if (use == Use::dense) ::madvise(reserved, bytes, MADV_HUGEPAGE);
}

ReservedBytes::~ReservedBytes() {
  if (begin_) ::munmap(begin_, bytes_);
}

void ReservedBytes::clear() {
  if (begin_) ::madvise(begin_, bytes_, MADV_DONTNEED);
}

namespace {

AccessRecord& of_kind(ByteHistory& byte, AccessRecord::Kind kind) {
  if (kind == AccessRecord::store) return byte.write;
  return kind == AccessRecord::atomic ? byte.atomic : byte.read;
}

}  // namespace

WordHistory history_of(const AccessRecord& only) {
  WordHistory history{};
  for (unsigned byte = 0; byte < history.size(); ++byte)
    if (only.segment() != 0 && (only.bytes() >> byte & 1)) of_kind(history[byte], only.kind()) = only;
  return history;
}

bool is_one_record(const WordHistory& history, AccessRecord& one) {
  one = {};
  unsigned bytes = 0;
  for (unsigned byte = 0; byte < history.size(); ++byte)
    for (const AccessRecord& record : {history[byte].write, history[byte].atomic, history[byte].read}) {
      if (record.segment() == 0) continue;
      if (one.segment() != 0 && one.with_bytes(0) != record.with_bytes(0)) return false;
      one = record;
      bytes |= 1u << byte;
    }
  one = one.with_bytes(bytes);
  return true;
}

void MemoryShadow::set_state(const count::AddressRange& bytes, unsigned shift, bool on) {
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

}  // namespace gpulab::simulator::check
