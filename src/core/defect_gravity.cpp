#include "core/defect_gravity.hpp"

#include <algorithm>
#include <array>

namespace gpulab {
namespace {

// A barrier that not all threads reach causes races and reads of what was not written; a race causes those
// reads.
constexpr std::array gravest_first{DefectKind::deadlock,
                                   DefectKind::too_much_output,
                                   DefectKind::too_many_accesses,
                                   DefectKind::divergent_barrier,
                                   DefectKind::missed_barrier,
                                   DefectKind::wrong_mask,
                                   DefectKind::shared_out_of_bounds,
                                   DefectKind::constant_write,
                                   DefectKind::host_pointer,
                                   DefectKind::out_of_bounds,
                                   DefectKind::array_index,
                                   DefectKind::division_by_zero,
                                   DefectKind::misaligned,
                                   DefectKind::shared_race,
                                   DefectKind::global_race,
                                   DefectKind::shared_uninitialised,
                                   DefectKind::uninitialised};

// Of two equal kinds a write does more damage.
std::size_t rank(const Defect& defect) {
  const auto place = std::ranges::find(gravest_first, defect.kind) - gravest_first.begin();
  return 2 * static_cast<std::size_t>(place) + (defect.party.access == DefectAccess::load ? 1 : 0);
}

}  // namespace

std::vector<Defect> by_gravity(std::vector<Defect> defects) {
  std::erase_if(defects, [](const Defect& defect) { return defect.is_note; });
  std::ranges::stable_sort(defects, {}, rank);
  return defects;
}

}  // namespace gpulab
