#include "simulator/count/access_recorder.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "simulator/fault/kernel_code.hpp"

namespace gpulab::simulator::count {

std::optional<std::size_t> AccessSites::number_of(std::uintptr_t code, AccessKind kind, unsigned bytes) {
  const std::uint64_t key = std::uint64_t{code} << 8 | static_cast<unsigned>(kind) << 5 | bytes;
  std::size_t place = (key * 0x9E3779B97F4A7C15u) >> 32;
  for (;; ++place) {
    Slot& slot = slots_[place % slot_count];
    if (slot.key == key) return slot.site;
    if (slot.key != 0) continue;
    if (sites_.size() == most) return std::nullopt;
    slot = {key, static_cast<std::uint32_t>(sites_.size())};
    sites_.push_back({.code = code, .kind = kind, .bytes = bytes});
    return slot.site;
  }
}

AccessRecorder::AccessRecorder(const std::vector<AddressRange>& global_memory)
    : global_(global_memory), tracks_(AccessSites::most * warps_of_block), requests_(max_requests) {
  for (Window& window : windows_) window.sites.reserve(AccessSites::most);
  for (std::size_t i = max_requests; i > 0; --i) free_requests_.push_back(static_cast<std::uint16_t>(i - 1));
}

AccessRecorder::Recorded AccessRecorder::record(unsigned thread, const MemoryAccess& access) {
  const std::optional<AccessKind> kind = kind_of(access);
  if (!kind) return Recorded::yes;
  const auto site = sites_.number_of(access.code, *kind, static_cast<unsigned>(access.bytes));
  if (!site) return Recorded::too_many_sites;

  const unsigned warp = thread / 32, lane = thread % 32;
  Track& here = track(*site, warp);
  const std::uint16_t times = here.times[lane];
  if (times == here.count) {
    if (here.count == max_times || free_requests_.empty()) return Recorded::warp_is_full;
    if (here.count == 0) windows_[warp].sites.push_back(static_cast<std::uint16_t>(*site));
    here.requests[here.count++] = free_requests_.back();
    free_requests_.pop_back();
  }
  LaneAddresses& request = requests_[here.requests[times]];
  request.lanes |= 1u << lane;
  request.of_lane[lane] = access.address;
  ++here.times[lane];
  return Recorded::yes;
}

void AccessRecorder::fold(unsigned warp) {
  Window& window = windows_[warp];
  for (const std::uint16_t number : window.sites) {
    AccessSite& site = sites_[number];
    Track& here = track(number, warp);
    for (std::size_t i = 0; i < here.count; ++i) {
      LaneAddresses& request = requests_[here.requests[i]];
      const AccessSums sums = sums_of_request(site.kind, site.bytes, request);
      site.sums += sums;
      site.pattern += pattern_of_request(site.kind, site.bytes, request, sums);
      request.lanes = 0;
      free_requests_.push_back(here.requests[i]);
    }
    here.times = {};
    here.count = 0;
  }
  window.sites.clear();
  ++window.folds;
}

void AccessRecorder::fold_all() {
  for (unsigned warp = 0; warp < warps_of_block; ++warp) fold(warp);
}

void AccessRecorder::make_room(unsigned warp) {
  fold(warp);
  if (free_requests_.empty()) fold_all();
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

// Most often it is the same allocation as the last time.
bool AccessRecorder::is_global(std::uintptr_t address) {
  if (last_global_.contains(address)) return true;
  const auto found =
      std::ranges::find_if(global_, [&](const AddressRange& range) { return range.contains(address); });
  if (found == global_.end()) return false;
  last_global_ = *found;
  return true;
}

AccessCounts accesses_by_line(const std::vector<AccessSite>& sites) {
  const auto call = [](const AccessSite& site) { return site.code - 1; };  // of the hook, before it returns
  std::set<std::uintptr_t> calls;
  for (const AccessSite& site : sites) calls.insert(call(site));
  const std::vector<std::uintptr_t> instructions(calls.begin(), calls.end());
  const std::vector<std::string> lines = fault::source_lines(instructions);
  std::map<std::uintptr_t, int> line_of;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (fault::other_file(lines[i]).empty()) line_of[instructions[i]] = fault::line_number(lines[i]);

  AccessCounts counts;
  for (const AccessSite& site : sites) counts.add({line_of[call(site)], site.kind, site.sums, site.pattern});
  return counts;
}

}  // namespace gpulab::simulator::count
