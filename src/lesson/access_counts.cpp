#include "lesson/access_counts.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"

namespace gpulab {

LaneStride& LaneStride::operator+=(const LaneStride& other) {
  if (bytes == other.bytes)
    votes += other.votes;
  else if (votes >= other.votes)
    votes -= other.votes;
  else
    *this = {other.bytes, other.votes - votes};
  return *this;
}

AccessPattern& AccessPattern::operator+=(const AccessPattern& other) {
  min_sectors += other.min_sectors;
  min_bank_wavefronts += other.min_bank_wavefronts;
  costly_stride += other.costly_stride;
  return *this;
}

namespace {

template <class Predicate>
AccessSums sums_where(const AccessCounts& counts, Predicate is_wanted) {
  AccessSums sums;
  for (const LineAccesses& accesses : counts.lines)
    if (is_wanted(accesses.kind)) sums += accesses.sums;
  return sums;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string_view name_of(AccessKind kind) {
  using enum AccessKind;
  static constexpr Named<AccessKind> names[] = {
      {global_load, "global load"}, {global_store, "global store"}, {global_atomic, "global atomic"},
      {shared_load, "shared load"}, {shared_store, "shared store"}, {shared_atomic, "shared atomic"}};
  static_assert(names_every(names, shared_atomic));
  return name_in(names, kind);
}

std::string_view name_of(AccessMetric metric) {
  using enum AccessMetric;
  static constexpr Named<AccessMetric> names[] = {
      {sectors_per_load, "sectors per load"},
      {sectors_per_store, "sectors per store"},
      {lanes_per_request, "active lanes"},
      {bank_conflict_ways_per_load, "bank-conflict ways per load"},
      {bank_conflict_ways_per_store, "bank-conflict ways per store"},
      {lanes_at_one_address, "lanes at one address"},
  };
  static_assert(names_every(names, lanes_at_one_address));
  return name_in(names, metric);
}

bool RequestSample::is_costlier_than(const RequestSample& other) const {
  const auto order = [](const RequestSample& sample) {
    return std::tuple(sample.block.z, sample.block.y, sample.block.x, sample.warp, sample.visit);
  };
  if (addresses.lanes == 0 || other.addresses.lanes == 0) return addresses.lanes != 0;
  return excess != other.excess ? excess > other.excess : order(*this) < order(other);
}

AccessSums& AccessSums::operator+=(const AccessSums& other) {
  requests += other.requests;
  active_lanes += other.active_lanes;
  sectors += other.sectors;
  bytes += other.bytes;
  bank_wavefronts += other.bank_wavefronts;
  max_same_address += other.max_same_address;
  lines += other.lines;
  return *this;
}

void BlockSample::add(const BlockSample& sample) {
  blocks += sample.blocks;
  of_blocks += sample.of_blocks;
  block_pairs += sample.block_pairs;
  is_cut_off = is_cut_off || sample.is_cut_off;
  only_counted += sample.only_counted;
  barriers += sample.barriers;
  accesses += sample.accesses;
  of_first_block += sample.of_first_block;
  for (const Footprint& more : sample.footprints) {
    const auto known = std::ranges::find(footprints, more.begin, &Footprint::begin);
    if (known == footprints.end()) {
      footprints.push_back(more);
      continue;
    }
    known->loaded_sectors += more.loaded_sectors;
    known->stored_sectors += more.stored_sectors;
    known->updated_words += more.updated_words;
    known->rewritten_words += more.rewritten_words;
  }
}

void AccessCounts::add(const LineAccesses& accesses) {
  const auto key = [](const LineAccesses& entry) { return std::tie(entry.file, entry.line, entry.kind); };
  const auto found = std::ranges::lower_bound(lines, key(accesses), {}, key);
  if (found == lines.end() || key(*found) != key(accesses)) {
    lines.insert(found, accesses);
    return;
  }
  found->sums += accesses.sums;
  found->pattern += accesses.pattern;
  found->most_of_a_warp += accesses.most_of_a_warp;
  if (accesses.costliest.is_costlier_than(found->costliest)) found->costliest = accesses.costliest;
}

void AccessCounts::add(AccessCounts counts) {
  for (const LineAccesses& accesses : counts.lines) add(accesses);
  for (SharedWriters& more : counts.writers)
    if (std::ranges::find(writers, more.array, &SharedWriters::array) == writers.end())
      writers.push_back(std::move(more));
  sample.add(counts.sample);
}

AccessSums sums_of(const AccessCounts& counts, AccessKind kind) {
  return sums_where(counts, [kind](AccessKind other) { return other == kind; });
}

double sectors_per_request(const AccessCounts& counts, AccessKind kind) {
  const AccessSums sums = sums_of(counts, kind);
  return ratio(sums.sectors, sums.requests);
}

double active_lanes_per_request(const AccessCounts& counts) {
  const AccessSums sums = sums_where(counts, [](AccessKind) { return true; });
  return ratio(sums.active_lanes, sums.requests);
}

double wavefronts_per_request(const AccessCounts& counts, AccessKind kind) {
  const AccessSums sums = sums_of(counts, kind);
  return ratio(sums.bank_wavefronts, sums.requests);
}

double max_same_address_per_request(const AccessCounts& counts) {
  const AccessSums sums = sums_where(counts, is_atomic);
  return ratio(sums.max_same_address, sums.requests);
}

double sector_efficiency(const AccessSums& sums) {
  return ratio(sums.bytes, sums.sectors * sector_bytes);
}

}  // namespace gpulab
