#include "simulator/count/warp_request.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace gpulab::simulator::count {
namespace {

constexpr unsigned lanes_of_warp = 32;
constexpr unsigned banks = 32;
constexpr unsigned word_bytes = 4;
constexpr unsigned sector_bytes = 32;

using Addresses = std::span<const std::uintptr_t>;

// How many different pieces of that size the accesses touch. The addresses ascend.
std::uint64_t pieces_touched(Addresses ascending, unsigned bytes, unsigned piece_bytes) {
  std::uint64_t pieces = 0;
  std::uintptr_t next = 0;  // the first piece that is not yet counted
  for (const std::uintptr_t address : ascending) {
    const std::uintptr_t first = std::max(address / piece_bytes, next);
    const std::uintptr_t end = (address + bytes - 1) / piece_bytes + 1;
    if (end <= first) continue;
    pieces += end - first;
    next = end;
  }
  return pieces;
}

std::uint64_t max_at_one_address(Addresses ascending) {
  std::size_t most = 0;
  for (std::size_t begin = 0, end = 0; begin < ascending.size(); begin = end) {
    while (end < ascending.size() && ascending[end] == ascending[begin]) ++end;
    most = std::max(most, end - begin);
  }
  return most;
}

// Word w lies in bank w % 32, and a bank answers with one word at a time. The addresses ascend.
std::uint64_t wavefronts(Addresses ascending, unsigned bytes) {
  std::array<unsigned char, banks> words_of_bank{};
  std::uintptr_t next = 0;  // the first word that is not yet counted
  unsigned char most = 0;
  for (const std::uintptr_t address : ascending) {
    const std::uintptr_t last = (address + bytes - 1) / word_bytes;
    for (std::uintptr_t word = std::max(address / word_bytes, next); word <= last; ++word)
      most = std::max(most, ++words_of_bank[word % banks]);
    next = std::max(next, last + 1);
  }
  return most;
}

// The addresses of some of the lanes, in ascending order.
class Ascending {
 public:
  Ascending(const LaneAddresses& addresses, std::uint32_t lanes) {
    for (std::uint32_t left = lanes & addresses.lanes; left; left &= left - 1)
      addresses_[count_++] = addresses.of_lane[static_cast<std::size_t>(std::countr_zero(left))];
    const auto end = addresses_.begin() + count_;
    if (!std::is_sorted(addresses_.begin(), end)) std::sort(addresses_.begin(), end);
  }
  operator Addresses() const { return {addresses_.data(), count_}; }

 private:
  std::array<std::uintptr_t, lanes_of_warp> addresses_;
  unsigned count_ = 0;
};

// Whether each of these lanes wants what the lane beside it wants, whose number differs in that bit, or is
// alone.
bool want_the_same(const LaneAddresses& addresses, std::uint32_t lanes, std::size_t bit) {
  for (std::uint32_t left = lanes & addresses.lanes; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left)), other = lane ^ bit;
    if ((addresses.lanes >> other & 1) && addresses.of_lane[lane] != addresses.of_lane[other]) return false;
  }
  return true;
}

// All banks together give 128 bytes at a time. So lanes that access more than 4 bytes each are served in
// parts: two half warps for 8 bytes, four quarters for 16. The two quarters of a half that loads are served
// as one where its lanes want the same in pairs, each with the next or with the next but one; NVIDIA does not
// say so, but it is what Nsight Compute counts (docs/results.md). Calls visit(lanes) for each part.
template <class Visit>
void each_part(AccessKind kind, unsigned bytes, const LaneAddresses& addresses, Visit visit) {
  const unsigned lanes_of_part = lanes_of_warp / std::max(1u, bytes / word_bytes);
  const std::uint32_t part = ~0u >> (lanes_of_warp - lanes_of_part), half = 0xFFFF;
  for (unsigned first = 0; first < lanes_of_warp;) {
    const bool is_whole_half =
        kind == AccessKind::shared_load && bytes == 16 && first % 16 == 0 &&
        (want_the_same(addresses, half << first, 1) || want_the_same(addresses, half << first, 2));
    visit((is_whole_half ? half : part) << first);
    first += is_whole_half ? 16 : lanes_of_part;
  }
}

std::uint64_t wavefronts_of_parts(AccessKind kind, const LaneAddresses& addresses, unsigned bytes) {
  std::uint64_t sum = 0;
  each_part(kind, bytes, addresses,
            [&](std::uint32_t lanes) { sum += wavefronts(Ascending(addresses, lanes), bytes); });
  return sum;
}

// One for each part that has lanes to serve.
std::uint64_t min_wavefronts(AccessKind kind, const LaneAddresses& addresses, unsigned bytes) {
  std::uint64_t sum = 0;
  each_part(kind, bytes, addresses, [&](std::uint32_t lanes) { sum += (lanes & addresses.lanes) != 0; });
  return sum;
}

// Of the pairs of lanes side by side that both take part, most of which have to agree.
std::optional<std::int64_t> stride_of(const LaneAddresses& addresses) {
  LaneStride stride;
  const std::uint32_t pairs = addresses.lanes & addresses.lanes >> 1;
  for (std::uint32_t left = pairs; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    stride += {static_cast<std::int64_t>(addresses.of_lane[lane + 1] - addresses.of_lane[lane]), 1};
  }
  if (2 * stride.votes <= static_cast<unsigned>(std::popcount(pairs))) return std::nullopt;
  return stride.bytes;
}

}  // namespace

AccessSums sums_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses) {
  const Ascending all(addresses, ~0u);
  AccessSums sums{.requests = 1, .active_lanes = static_cast<unsigned>(std::popcount(addresses.lanes))};
  if (is_shared(kind)) {
    sums.bank_wavefronts =
        bytes <= word_bytes ? wavefronts(all, bytes) : wavefronts_of_parts(kind, addresses, bytes);
  } else {
    sums.sectors = pieces_touched(all, bytes, sector_bytes);
    sums.bytes = pieces_touched(all, bytes, 1);
  }
  if (is_atomic(kind)) sums.max_same_address = max_at_one_address(all);
  return sums;
}

AccessPattern pattern_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses,
                                 const AccessSums& sums) {
  AccessPattern pattern{.min_sectors = (sums.bytes + sector_bytes - 1) / sector_bytes};
  if (sums.bank_wavefronts > 0) pattern.min_bank_wavefronts = min_wavefronts(kind, addresses, bytes);
  const std::uint64_t in_vain =
      sums.sectors - pattern.min_sectors + sums.bank_wavefronts - pattern.min_bank_wavefronts;
  if (const auto stride = in_vain > 0 ? stride_of(addresses) : std::nullopt)
    pattern.costly_stride = {*stride, in_vain};
  return pattern;
}

}  // namespace gpulab::simulator::count
