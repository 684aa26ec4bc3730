#include "exercise/defect_patterns.hpp"

namespace gpulab {
namespace {

std::string out_of_bounds(const Defect& defect) {
  return defect.party.access == DefectAccess::load ? "out-of-bounds-read" : "out-of-bounds-write";
}

}  // namespace

std::string pattern_of(const Defect& defect) {
  switch (defect.kind) {
    case DefectKind::shared_race:
      return "race-shared";
    case DefectKind::global_race:
      return "race-global";
    case DefectKind::uninitialised:
      return "uninitialised-global";
    case DefectKind::shared_uninitialised:
      return "uninitialised-shared";
    case DefectKind::divergent_barrier:
    case DefectKind::missed_barrier:
    case DefectKind::wrong_mask:
      return "divergent-barrier";
    case DefectKind::deadlock:
      return "deadlock";
    case DefectKind::shared_out_of_bounds:
      return defect.memory.variable == "extern __shared__" ? "not-enough-shared" : out_of_bounds(defect);
    default:
      return out_of_bounds(defect);
  }
}

}  // namespace gpulab
