#include "exercise/defect_patterns.hpp"

#include <algorithm>
#include <array>

namespace gpulab {
namespace {

// A barrier that not all threads reach causes races and reads of what was not written; a race causes those
// reads.
constexpr std::array gravest_first{
    DefectKind::deadlock,       DefectKind::too_much_output,  DefectKind::divergent_barrier,
    DefectKind::missed_barrier, DefectKind::wrong_mask,       DefectKind::shared_out_of_bounds,
    DefectKind::constant_write, DefectKind::host_pointer,     DefectKind::out_of_bounds,
    DefectKind::array_index,    DefectKind::division_by_zero, DefectKind::misaligned,
    DefectKind::shared_race,    DefectKind::global_race,      DefectKind::shared_uninitialised,
    DefectKind::uninitialised};

// Of two equal kinds a write does more damage.
std::size_t rank(const Defect& defect) {
  const auto place = std::ranges::find(gravest_first, defect.kind) - gravest_first.begin();
  return 2 * static_cast<std::size_t>(place) + (defect.party.access == DefectAccess::load ? 1 : 0);
}

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
    case DefectKind::division_by_zero:
      return "division-by-zero";
    case DefectKind::too_much_output:
      return "too-much-output";
    case DefectKind::shared_out_of_bounds:
      return defect.memory.variable == "extern __shared__" ? "not-enough-shared" : out_of_bounds(defect);
    default:
      return out_of_bounds(defect);
  }
}

std::string pattern_of(FailureKind kind) {
  switch (kind) {
    case FailureKind::does_not_compile:
      return "does-not-compile";
    case FailureKind::missing_kernel:
      return "missing-kernel";
    case FailureKind::wrong_parameters:
      return "wrong-parameters";
    case FailureKind::launch_refused:
      return "launch-failure";
    case FailureKind::illegal_address:
      return "illegal-address";
    case FailureKind::not_enough_shared:
      return "not-enough-shared";
    case FailureKind::division_by_zero:
      return "division-by-zero";
    case FailureKind::divergent_barrier:
      return "divergent-barrier";
    case FailureKind::deadlock:
      return "deadlock";
    case FailureKind::time_limit:
      return "time-limit";
    case FailureKind::stack_overflow:
      return "stack-overflow";
    case FailureKind::trapped:
      return "trap";
    case FailureKind::other:
      break;
  }
  return "kernel-failure";
}

std::vector<Defect> by_gravity(std::vector<Defect> defects) {
  std::erase_if(defects, [](const Defect& defect) { return defect.is_note; });
  std::ranges::stable_sort(defects, {}, rank);
  return defects;
}

}  // namespace gpulab
