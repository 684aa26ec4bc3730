#include "simulator/watch/launch_watch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "device/device.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::watch {

namespace {

AccessRecord& of_kind(ByteHistory& byte, AccessRecord::Kind kind) {
  if (kind == AccessRecord::store) return byte.write;
  return kind == AccessRecord::atomic ? byte.atomic : byte.read;
}

}  // namespace

WordHistory history_of(const AccessRecord& only) {
  WordHistory history{};
  for (unsigned byte = 0; byte < history.size(); ++byte)
    if (only.segment() != 0 && (only.bytes() >> byte & 1))
      of_kind(history[byte], only.kind()) = only.of_byte(byte);
  return history;
}

bool try_merge(const WordHistory& history, AccessRecord& merged) {
  merged = {};
  unsigned bytes = 0;
  for (unsigned byte = 0; byte < history.size(); ++byte) {
    if (history[byte].volatile_read.segment() != 0) return false;
    for (const AccessRecord& record : {history[byte].write, history[byte].atomic, history[byte].read}) {
      if (record.segment() == 0) continue;
      if (merged.segment() != 0 && merged.with_bytes(0) != record.with_bytes(0)) return false;
      merged = record;
      bytes |= 1u << byte;
    }
  }
  merged = merged.with_bytes(bytes);
  return true;
}

void MemoryShadow::set_state(const AddressRange& bytes, unsigned shift, bool on) {
  const std::uintptr_t from = std::max(bytes.begin, memory_.begin);
  const std::uintptr_t to = std::min(bytes.begin + bytes.bytes, memory_.begin + memory_.bytes);
  if (from >= to) return;
  const std::size_t begin = from - memory_.begin, end = to - memory_.begin;
  const auto set = [&](std::size_t word, unsigned bytes_in_word) {
    const auto bits = static_cast<std::uint8_t>(bytes_in_word << shift);
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

std::size_t MemoryShadow::first_byte(bool is_written, std::size_t begin, std::size_t end) const {
  constexpr std::size_t at_once = sizeof(std::uint64_t);
  constexpr std::uint64_t all_written = 0xF0F0'F0F0'F0F0'F0F0;  // the upper half of each of eight states
  const std::uint64_t skipped = is_written ? 0 : all_written;
  for (std::size_t word = begin / word_bytes; word * word_bytes < end; ++word) {
    std::uint64_t states = 0;
    while ((word + at_once) * word_bytes <= end) {
      std::memcpy(&states, states_.data() + word, at_once);
      if ((states & all_written) != skipped) break;
      word += at_once;
    }
    if (word * word_bytes >= end) return end;
    const unsigned written = states_[word] >> 4u, found = is_written ? written : ~written;
    if (const unsigned bytes = bytes_of_word(word, begin, end) & found)
      return word * word_bytes + static_cast<unsigned>(std::countr_zero(bytes));
  }
  return end;
}

void LaunchWatch::start(std::vector<WatchedRegion> regions, const schedule::SimulatedLaunch& launch,
                        std::size_t max_accesses, std::size_t recorded_accesses) {
  if (launch.heap && launch.heap != heap_) {
    heap_ = launch.heap;
    heap_shadow_ = MemoryShadow(heap_->range());
    heap_region_ = {.range = heap_->range(), .allowed = heap_->range(), .shadow = &heap_shadow_};
  }
  is_in_order_ = launch.in_order;
  compares_and_swaps_ = launch.compares_and_swaps;
  device_ = launch.device;
  has_other_devices_ = !launch.all_allocations.empty();
  concurrent_ops_ = nullptr;
  constants_.clear();
  published_stores.clear();
  undefined_operands.clear();
  max_accesses_ = max_accesses;
  recorded_accesses_ = recorded_accesses;
  blocks_ = launch.config.grid.volume();
  accesses_ = recorded_blocks_ = unrecorded_blocks_ = 0;
  regions_ = std::move(regions);
  module_image_ = image_around(launch.function);
  std::ranges::sort(regions_, {}, [](const WatchedRegion& region) { return region.range.begin; });
  if (segments.is_half_full()) {
    for (const WatchedRegion& region : regions_)
      if (region.shadow) region.shadow->forget_accesses();
    heap_shadow_.forget_accesses();
    segments.restart();
  }
  segments.clear();
  first_segment_ = segments.end();
  releases.clear();
  releases.set_warp_size(launch.warp_size);
  grid_barriers.start(launch.config.cooperative ? launch.config.grid.volume() : 0);
  sites.clear();
}

bool LaunchWatch::records_block(std::uint32_t block) {
  constexpr std::size_t spread_blocks = 16, last_blocks = 8;
  const bool is_recorded = recorded_accesses_ == 0 || accesses() < recorded_accesses_ ||
                           block + last_blocks >= blocks_ || block % (blocks_ / spread_blocks + 1) == 0;
  (is_recorded ? recorded_blocks_ : unrecorded_blocks_).fetch_add(1, std::memory_order_relaxed);
  return is_recorded;
}

const WatchedRegion* LaunchWatch::region_of(std::uintptr_t address) const {
  const auto after = std::ranges::upper_bound(regions_, address, {},
                                              [](const WatchedRegion& region) { return region.range.begin; });
  if (after == regions_.begin() || !(after - 1)->range.contains(address))
    return heap_region_.range.contains(address) ? &heap_region_ : nullptr;
  return &*(after - 1);
}

}  // namespace gpulab::simulator::watch
