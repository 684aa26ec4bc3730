#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "simulator/schedule/launch.hpp"

namespace gpulab::simulator::schedule {
namespace {

// A canary is written behind the dynamic shared memory, and looked at after the block.
constexpr std::size_t max_canary_bytes = 4096;
constexpr char canary = '\xA5';

void poison(std::span<char> memory) {
  constexpr std::uint32_t word = 0xFFFFDEAD;
  for (; memory.size() > sizeof word; memory = memory.subspan(sizeof word))
    std::memcpy(memory.data(), &word, sizeof word);
  std::memcpy(memory.data(), &word, memory.size());
}

std::span<char> canary_of(const SharedMemory& shared) {
  if (!shared.has_dynamic) return {};
  const std::size_t unused_bytes =
      largest_shared_bytes - std::min(shared.dynamic_bytes, largest_shared_bytes);
  return {shared.dynamic_address() + shared.dynamic_bytes, std::min(unused_bytes, max_canary_bytes)};
}

}  // namespace

void fill_with_garbage(const SharedMemory& shared) {
  char* const dynamic = shared.dynamic_address();
  char* const module = dynamic - shared.dynamic_offset;
  for (const SharedMemory::Range& range : shared.statics)
    if (range.is_guard)
      std::memset(module + range.offset, 1, range.bytes);
    else
      poison({module + range.offset, range.bytes});
  poison({dynamic, shared.dynamic_bytes});
  std::ranges::fill(canary_of(shared), canary);
}

bool has_written_past_dynamic(const SharedMemory& shared) {
  return !std::ranges::all_of(canary_of(shared), [](char byte) { return byte == canary; });
}

}  // namespace gpulab::simulator::schedule
