#include "device/simulator/count/access_lines.hpp"

#include <map>
#include <set>

#include "device/simulator/fault/source_line.hpp"

namespace gpulab {

AccessCounts accesses_by_line(const std::vector<AccessSite>& sites) {
  const auto call = [](const AccessSite& site) { return site.code - 1; };  // of the hook, before it returns
  std::set<std::uintptr_t> calls;
  for (const AccessSite& site : sites) calls.insert(call(site));
  const std::vector<std::uintptr_t> instructions(calls.begin(), calls.end());
  const std::vector<std::string> lines = source_lines(instructions);
  std::map<std::uintptr_t, int> line_of;
  for (std::size_t i = 0; i < lines.size(); ++i) line_of[instructions[i]] = line_number(lines[i]);

  AccessCounts counts;
  for (const AccessSite& site : sites) counts.add({line_of[call(site)], site.kind, site.sums, site.pattern});
  return counts;
}

}  // namespace gpulab
