#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "simulator/watch/access_recorder.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::watch {

namespace {

// Returns the site's figures for all requests: those that were only counted are like the others.
AccessSite with_all_requests(AccessSite site) {
  if (site.only_counted_lanes == 0) return site;
  const double factor =
      1 + static_cast<double>(site.only_counted_lanes) / static_cast<double>(site.sums.active_lanes);
  for (std::uint64_t* const sum :
       {&site.sums.requests, &site.sums.active_lanes, &site.sums.bank_wavefronts, &site.sums.max_same_address,
        &site.pattern.min_bank_wavefronts, &site.pattern.costly_stride.votes})
    *sum = static_cast<std::uint64_t>(std::llround(factor * static_cast<double>(*sum)));
  return site;
}

}  // namespace

AccessCounts accesses_by_line(const std::vector<AccessSite>& sites) {
  const auto call = [](const AccessSite& site) { return site.pc - 1; };  // the call of the hook
  const auto key = [](const AccessSite& site) { return std::tuple(site.pc, site.kind, site.bytes); };
  std::set<std::uintptr_t> calls;
  std::map<std::tuple<std::uintptr_t, AccessKind, unsigned>, std::uint64_t> most_of_a_warp;  // of all workers
  for (const AccessSite& site : sites) {
    calls.insert(call(site));
    std::uint64_t& most = most_of_a_warp[key(site)];
    most = std::max(most, site.most_of_a_warp);
  }
  const std::vector<std::uintptr_t> instructions(calls.begin(), calls.end());
  const std::vector<std::string> lines = source_lines(instructions);
  std::map<std::uintptr_t, std::string> line_of;
  for (std::size_t i = 0; i < lines.size(); ++i) line_of[instructions[i]] = lines[i];

  AccessCounts counts;
  for (const AccessSite& counted : sites) {
    const AccessSite site = with_all_requests(counted);
    const std::string& line = line_of[call(site)];
    counts.add({.line = line_number(line),
                .kind = site.kind,
                .sums = site.sums,
                .pattern = site.pattern,
                .costliest = site.costliest,
                .most_of_a_warp = std::exchange(most_of_a_warp[key(site)], 0),
                .file = other_file(line)});
  }
  return counts;
}

}  // namespace gpulab::simulator::watch
