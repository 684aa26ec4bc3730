#include "simulator/watch/access_recorder.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace gpulab::simulator::watch {

namespace {

constexpr unsigned banks = 32;
constexpr unsigned word_bytes = 4;

using Addresses = std::span<const std::uintptr_t>;

// Returns the number of aligned pieces of this size that the accesses touch. The addresses ascend.
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

std::uint64_t max_lanes_at_one_address(Addresses ascending) {
  std::size_t max_lanes = 0;
  for (std::size_t begin = 0, end = 0; begin < ascending.size(); begin = end) {
    while (end < ascending.size() && ascending[end] == ascending[begin]) ++end;
    max_lanes = std::max(max_lanes, end - begin);
  }
  return max_lanes;
}

// Returns the number of wavefronts: word w lies in bank w % 32, and a bank serves one word at a time.
std::uint64_t wavefronts(Addresses ascending, unsigned bytes) {
  std::array<unsigned char, banks> words_of_bank{};
  std::uintptr_t next = 0;  // the first word that is not yet counted
  unsigned char max_words_of_bank = 0;
  for (const std::uintptr_t address : ascending) {
    const std::uintptr_t last = (address + bytes - 1) / word_bytes;
    for (std::uintptr_t word = std::max(address / word_bytes, next); word <= last; ++word)
      max_words_of_bank = std::max(max_words_of_bank, ++words_of_bank[word % banks]);
    next = std::max(next, last + 1);
  }
  return max_words_of_bank;
}

// The addresses of some of the lanes, in ascending order.
class Ascending {
 public:
  Ascending(const LaneAddresses& addresses, LaneMask lanes) {
    for (LaneMask remaining = lanes & addresses.lanes; remaining; remaining &= remaining - 1)
      addresses_[count_++] = addresses.of_lane[static_cast<std::size_t>(std::countr_zero(remaining))];
    const auto end = addresses_.begin() + count_;
    if (!std::is_sorted(addresses_.begin(), end)) std::sort(addresses_.begin(), end);
  }
  operator Addresses() const { return {addresses_.data(), count_}; }

 private:
  std::array<std::uintptr_t, WarpSize::max_lanes> addresses_;
  unsigned count_ = 0;
};

// Returns whether active lanes whose numbers differ only in `bit` have the same address.
bool have_same_addresses_in_pairs(const LaneAddresses& addresses, LaneMask lanes, std::size_t bit) {
  for (LaneMask remaining = lanes & addresses.lanes; remaining; remaining &= remaining - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(remaining)), other = lane ^ bit;
    if ((addresses.lanes >> other & 1) && addresses.of_lane[lane] != addresses.of_lane[other]) return false;
  }
  return true;
}

// Calls visit(lanes) for each part of a request that is served by itself. The banks deliver 128 bytes at a
// time, so 8-byte accesses of 32 lanes are served in two half warps, and 16-byte accesses in four quarters.
// For loads, the two quarters of a half are served together if its lanes have the same addresses in pairs:
// lanes 0 and 1, 2 and 3, or else lanes 0 and 2, 1 and 3, and so on. NVIDIA does not document this, but
// Nsight Compute counts so (docs/results.md). A request of 64 lanes is served as two of 32.
template <class Visit>
void each_part(AccessKind kind, unsigned bytes, const LaneAddresses& addresses, Visit visit) {
  const unsigned lanes_of_part = banks / std::max(1u, bytes / word_bytes);
  const LaneMask part = ~0u >> (banks - lanes_of_part), half = 0xFFFF;
  const unsigned end = std::bit_width(addresses.lanes) > banks ? WarpSize::max_lanes : banks;
  for (unsigned first = 0; first < end;) {
    const bool is_whole_half = kind == AccessKind::shared_load && bytes == 16 && first % 16 == 0 &&
                               (have_same_addresses_in_pairs(addresses, half << first, 1) ||
                                have_same_addresses_in_pairs(addresses, half << first, 2));
    visit((is_whole_half ? half : part) << first);
    first += is_whole_half ? 16 : lanes_of_part;
  }
}

// Returns what a request costs beyond the least: sectors, wavefronts, and atomics that wait for one another.
std::uint64_t excess_of(const AccessSums& sums, const AccessPattern& pattern) {
  const std::uint64_t waiting = sums.max_same_address > 0 ? sums.max_same_address - 1 : 0;
  return sums.sectors - pattern.min_sectors + sums.bank_wavefronts - pattern.min_bank_wavefronts + waiting;
}

std::uint64_t wavefronts_of_parts(AccessKind kind, const LaneAddresses& addresses, unsigned bytes) {
  std::uint64_t sum = 0;
  each_part(kind, bytes, addresses,
            [&](LaneMask lanes) { sum += wavefronts(Ascending(addresses, lanes), bytes); });
  return sum;
}

// Returns the fewest wavefronts that the request can take: one for each part with active lanes.
std::uint64_t min_wavefronts(AccessKind kind, const LaneAddresses& addresses, unsigned bytes) {
  std::uint64_t sum = 0;
  each_part(kind, bytes, addresses, [&](LaneMask lanes) { sum += (lanes & addresses.lanes) != 0; });
  return sum;
}

// Returns the stride between neighbouring active lanes, if most pairs have the same.
std::optional<std::int64_t> stride_of(const LaneAddresses& addresses) {
  LaneStride stride;
  const LaneMask pairs = addresses.lanes & addresses.lanes >> 1;
  for (LaneMask remaining = pairs; remaining; remaining &= remaining - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(remaining));
    stride += {static_cast<std::int64_t>(addresses.of_lane[lane + 1] - addresses.of_lane[lane]), 1};
  }
  if (2 * stride.votes <= static_cast<unsigned>(std::popcount(pairs))) return std::nullopt;
  return stride.bytes;
}

}  // namespace

AccessSums sums_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses) {
  const Ascending all(addresses, ~LaneMask{0});
  AccessSums sums{.requests = 1, .active_lanes = static_cast<unsigned>(std::popcount(addresses.lanes))};
  if (is_shared(kind)) {
    const bool is_one_part = bytes <= word_bytes && std::bit_width(addresses.lanes) <= banks;
    sums.bank_wavefronts = is_one_part ? wavefronts(all, bytes) : wavefronts_of_parts(kind, addresses, bytes);
  } else {
    sums.sectors = pieces_touched(all, bytes, sector_bytes);
    sums.bytes = pieces_touched(all, bytes, 1);
  }
  if (is_atomic(kind)) sums.max_same_address = max_lanes_at_one_address(all);
  return sums;
}

AccessPattern pattern_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses,
                                 const AccessSums& sums) {
  AccessPattern pattern{.min_sectors = (sums.bytes + sector_bytes - 1) / sector_bytes};
  if (sums.bank_wavefronts > 0) pattern.min_bank_wavefronts = min_wavefronts(kind, addresses, bytes);
  const std::uint64_t excess =
      sums.sectors - pattern.min_sectors + sums.bank_wavefronts - pattern.min_bank_wavefronts;
  if (const auto stride = excess > 0 ? stride_of(addresses) : std::nullopt)
    pattern.costly_stride = {*stride, excess};
  return pattern;
}

std::vector<BankPass> bank_passes(AccessKind kind, unsigned bytes, const LaneAddresses& addresses) {
  std::vector<BankPass> passes;
  each_part(kind, bytes, addresses, [&](LaneMask lanes) {
    std::map<std::uintptr_t, LaneMask> lanes_of_word;
    for (LaneMask remaining = lanes & addresses.lanes; remaining; remaining &= remaining - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(remaining));
      const std::uintptr_t address = addresses.of_lane[lane], last = (address + bytes - 1) / word_bytes;
      for (std::uintptr_t word = address / word_bytes; word <= last; ++word)
        lanes_of_word[word] |= LaneMask{1} << lane;
    }
    const std::size_t first = passes.size();
    std::array<std::size_t, banks> words_of_bank{};
    for (const auto& [word, wanted_by] : lanes_of_word) {
      const std::size_t bank = word % banks, pass = first + words_of_bank[bank]++;
      if (pass == passes.size()) passes.emplace_back();
      passes[pass][bank] = wanted_by;
    }
  });
  return passes;
}

std::optional<std::size_t> AccessSites::number_of(std::uintptr_t pc, AccessKind kind, unsigned bytes) {
  const std::uint64_t key = std::uint64_t{pc} << 8 | static_cast<unsigned>(kind) << 5 | bytes;
  std::size_t index = (key * 0x9E3779B97F4A7C15u) >> 32;
  for (;; ++index) {
    Slot& slot = slots_[index % slot_count];
    if (slot.key == key) return slot.site;
    if (slot.key != 0) continue;
    if (sites_.size() == capacity) return std::nullopt;
    slot = {key, static_cast<std::uint32_t>(sites_.size())};
    sites_.push_back({.pc = pc, .kind = kind, .bytes = bytes});
    return slot.site;
  }
}

namespace {

constexpr std::size_t footprint_slots = std::size_t{1} << 18;  // a power of two
constexpr std::size_t max_footprint = footprint_slots / 4 * 3;

}  // namespace

FootprintTable::FootprintTable(const std::vector<AddressRange>& global_memory)
    : slots_(footprint_slots, ReservedBytes::Use::sparse) {
  used_.reserve(max_footprint);
  for (const AddressRange& range : global_memory)
    footprints_.push_back({.begin = range.begin, .bytes = range.bytes});
}

void FootprintTable::start_block(std::uint64_t block) {
  if (blocks_ > 0 && block == last_block_ + 1) {
    ++pairs_;
  } else {
    for (const std::uint32_t slot : used_) slots_[slot] = {};
    used_.clear();
  }
  last_block_ = block;
  ++blocks_;
}

// Finds or adds a key. Neighbouring pieces have neighbouring slots, in the same lines of the CPU's caches. A
// taken slot belongs to a run of neighbours, so the search continues beyond that run.
FootprintTable::Seen FootprintTable::insert(std::uint64_t key) {
  constexpr unsigned bits = 7;
  constexpr std::size_t run = std::size_t{1} << bits;
  std::size_t index = (((key >> bits) * 0x9E3779B97F4A7C15u) >> 32 << bits) + key % run;
  for (;; index += run + 1) {  // an odd step reaches every slot
    Slot& slot = slots_[index % footprint_slots];
    if (slot.key == key) {
      if (slot.block == blocks_) return Seen::by_this_block;
      slot.block = blocks_;
      return Seen::by_last_block;
    }
    if (slot.key != 0) continue;
    if (used_.size() == max_footprint) return Seen::never;  // full: further pieces count as new each time
    slot = {key, blocks_};
    used_.push_back(static_cast<std::uint32_t>(index % footprint_slots));
    return Seen::never;
  }
}

void FootprintTable::add(AccessKind kind, unsigned bytes, const LaneAddresses& request) {
  const int bits = std::countr_zero(is_atomic(kind) ? word_bytes : sector_bytes);
  std::uint64_t last_key = 0;
  for (LaneMask remaining = request.lanes; remaining; remaining &= remaining - 1) {
    const std::uintptr_t address = request.of_lane[static_cast<std::size_t>(std::countr_zero(remaining))];
    for (std::uintptr_t at = address >> bits, last = (address + bytes - 1) >> bits; at <= last; ++at) {
      const std::uint64_t key = (static_cast<std::uint64_t>(kind) + 1) << 60 | at;
      if (std::exchange(last_key, key) == key) continue;
      const Seen seen = insert(key);
      if (seen == Seen::by_this_block) continue;
      if (const Footprint& last_used = footprints_[last_footprint_];
          address - last_used.begin >= last_used.bytes)
        last_footprint_ = static_cast<std::size_t>(
            std::ranges::find_if(
                footprints_, [&](const Footprint& other) { return address - other.begin < other.bytes; }) -
            footprints_.begin());
      Footprint& footprint = footprints_[last_footprint_];
      if (kind == AccessKind::global_load) ++footprint.loaded_sectors;
      if (kind == AccessKind::global_store) ++footprint.stored_sectors;
      if (kind != AccessKind::global_atomic) continue;
      ++footprint.updated_words;
      footprint.rewritten_words += seen == Seen::by_last_block;
    }
  }
}

BlockSample FootprintTable::sample() const {
  BlockSample sample{.blocks = blocks_, .block_pairs = pairs_};
  std::ranges::copy_if(footprints_, std::back_inserter(sample.footprints), [](const Footprint& footprint) {
    return footprint.loaded_sectors + footprint.stored_sectors + footprint.updated_words > 0;
  });
  return sample;
}

bool AccessRecorder::has_global_atomics() const {
  return std::ranges::any_of(sites_.all(),
                             [](const AccessSite& site) { return site.kind == AccessKind::global_atomic; });
}

void AccessRecorder::cut_off() {
  fold_all_requests();
  is_cut_off_ = has_global_atomics();
}

BlockSample AccessRecorder::sample() const {
  if (!footprints_) return {};
  BlockSample sample = footprints_->sample();
  sample.is_cut_off = is_cut_off_;
  sample.only_counted = only_counted_;
  sample.barriers = barriers_;
  sample.accesses = accesses_;
  sample.of_first_block = first_block_accesses_.value_or(accesses_);
  return sample;
}

AccessRecorder::AccessRecorder(const std::vector<AddressRange>& global_memory, WarpSize warp_size)
    : global_(global_memory),
      warp_size_(warp_size),
      tracks_(AccessSites::capacity * warps_of_block, ReservedBytes::Use::sparse),
      requests_(max_requests, ReservedBytes::Use::sparse),
      visits_(AccessSites::capacity * warps_of_block) {
  for (Window& window : windows_) window.sites.reserve(AccessSites::capacity);
  for (std::size_t i = max_requests; i > 0; --i) free_requests_.push_back(static_cast<std::uint16_t>(i - 1));
}

std::optional<AccessRecorder::KnownSite> AccessRecorder::find_site(const MemoryAccess& access) {
  KnownSite found{.pc = access.pc, .bytes = access.bytes, .operation = access.operation};
  const std::optional<AccessKind> kind = kind_of(access);
  if (!kind) {
    found.memory = KnownSite::Memory::uncounted;
    found.range = last_gap_;
    return found;
  }
  const auto site = sites_.number_of(access.pc, *kind, static_cast<unsigned>(access.bytes));
  if (!site) return std::nullopt;
  found.memory = is_shared(*kind) ? KnownSite::Memory::shared : KnownSite::Memory::global;
  found.site = static_cast<std::uint32_t>(*site);
  found.range = last_global_;
  return found;
}

AccessRecorder::Recorded AccessRecorder::record(unsigned thread, const MemoryAccess& access) {
  KnownSite& known = known_[access.pc % known_.size()];
  if (!is_at(known, access)) {
    const std::optional<KnownSite> found = find_site(access);
    if (!found) return Recorded::too_many_sites;
    known = *found;
  }
  if (known.memory == KnownSite::Memory::uncounted) return Recorded::yes;
  constexpr std::uint64_t enough_requests = 1024;
  if (known.memory == KnownSite::Memory::shared && shared_requests_ == SharedRequests::first &&
      sites_[known.site].sums.requests >= enough_requests) {
    known.is_only_counted = true;
    only_count_pending(known.site);
    try_count_only(access);
    return Recorded::yes;
  }

  const unsigned warp = warp_size_.warp_of(thread), lane = warp_size_.lane_of(thread);
  Track& here = track(known.site, warp);
  const std::uint16_t executions = here.executions[lane];
  if (executions == here.count) {
    if (here.count == max_executions || free_requests_.empty()) return Recorded::warp_is_full;
    if (here.count == 0) windows_[warp].sites.push_back(static_cast<std::uint16_t>(known.site));
    here.requests[here.count++] = free_requests_.back();
    free_requests_.pop_back();
  }
  LaneAddresses& request = requests_[here.requests[executions]];
  request.lanes |= LaneMask{1} << lane;
  request.of_lane[lane] = access.address;
  ++here.executions[lane];
  ++accesses_;
  return Recorded::yes;
}

void AccessRecorder::start_block(const Extent& block, std::uint64_t number) {
  block_ = block;
  if (footprints_) {
    if (footprints_->blocks() == 1) first_block_accesses_ = accesses_;
    footprints_->start_block(number);
  }
  std::fill_n(visits_.begin(), sites_.all().size() * warps_of_block, 0);
  if (is_first_block())
    writers_.assign(std::min(shared_.bytes / word_bytes, max_words), SharedWriters::no_thread);
}

void AccessRecorder::keep_writers(unsigned warp, unsigned bytes, const LaneAddresses& request) {
  for (LaneMask remaining = request.lanes; remaining; remaining &= remaining - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(remaining));
    const std::size_t offset = request.of_lane[lane] - shared_.begin;
    for (std::size_t word = offset / word_bytes; word <= (offset + bytes - 1) / word_bytes; ++word)
      if (word < writers_.size())
        writers_[word] = static_cast<std::uint16_t>(warp_size_.thread_of(warp, lane));
  }
}

void AccessRecorder::only_count_pending(std::size_t number) {
  for (unsigned warp = 0; warp < warps_of_block; ++warp) {
    Track& here = track(number, warp);
    for (std::size_t i = 0; i < here.count; ++i) {
      LaneMask& lanes = requests_[here.requests[i]].lanes;
      const auto count = static_cast<unsigned>(std::popcount(lanes));
      sites_[number].only_counted_lanes += count;
      only_counted_ += count;
      lanes = 0;
      free_requests_.push_back(here.requests[i]);
    }
    here.executions = {};
    here.count = 0;
  }
}

void AccessRecorder::fold_requests(unsigned warp) {
  Window& window = windows_[warp];
  for (const std::uint16_t number : window.sites) {
    AccessSite& site = sites_[number];
    Track& here = track(number, warp);
    std::uint32_t& visit = visits_[number * warps_of_block + warp];
    for (std::size_t i = 0; i < here.count; ++i, ++visit) {
      LaneAddresses& request = requests_[here.requests[i]];
      AccessSums sums = sums_of_request(site.kind, site.bytes, request);
      if (footprints_ && !is_shared(site.kind))
        sums.lines = pieces_touched(Ascending(request, ~LaneMask{0}), site.bytes, line_bytes);
      const AccessPattern pattern = pattern_of_request(site.kind, site.bytes, request, sums);
      site.sums += sums;
      site.pattern += pattern;
      if (const std::uint64_t excess = excess_of(sums, pattern);
          excess > site.costliest.excess || site.costliest.addresses.lanes == 0)
        site.costliest = {request, site.bytes, excess, block_, warp, visit};
      if (footprints_ && !is_shared(site.kind)) footprints_->add(site.kind, site.bytes, request);
      if (site.kind == AccessKind::shared_store && is_first_block()) keep_writers(warp, site.bytes, request);
      request.lanes = 0;
      free_requests_.push_back(here.requests[i]);
    }
    site.most_of_a_warp = std::max<std::uint64_t>(site.most_of_a_warp, visit);
    here.executions = {};
    here.count = 0;
  }
  window.sites.clear();
  ++window.folds;
}

void AccessRecorder::fold_all_requests() {
  for (unsigned warp = 0; warp < warps_of_block; ++warp) fold_requests(warp);
}

void AccessRecorder::make_room(unsigned warp) {
  fold_requests(warp);
  if (free_requests_.empty()) fold_all_requests();
}

std::optional<AccessKind> AccessRecorder::kind_of(const MemoryAccess& access) {
  const bool shared = shared_.contains(access.address);
  if (!shared && !is_global(access.address)) return std::nullopt;
  switch (access.operation) {
    case MemoryAccess::Operation::load:
      return shared ? AccessKind::shared_load : AccessKind::global_load;
    case MemoryAccess::Operation::store:
      return shared ? AccessKind::shared_store : AccessKind::global_store;
    default:
      return shared ? AccessKind::shared_atomic : AccessKind::global_atomic;
  }
}

// Looks first at the ranges of the last accesses, since most accesses fall into these.
bool AccessRecorder::is_global(std::uintptr_t address) {
  if (last_global_.contains(address)) return true;
  if (last_gap_.contains(address)) return false;
  std::uintptr_t gap_begin = 0, gap_end = ~std::uintptr_t{0};
  for (const AddressRange& range : global_) {
    if (range.contains(address)) {
      last_global_ = range;
      return true;
    }
    if (range.begin > address)
      gap_end = std::min(gap_end, range.begin);
    else
      gap_begin = std::max(gap_begin, range.begin + range.bytes);
  }
  last_gap_ = {gap_begin, gap_end - gap_begin};
  return false;
}

}  // namespace gpulab::simulator::watch
