#include <sstream>

#include "learn/explain_defect.hpp"

namespace gpulab::learn {

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < number; ++i)
    if (!std::getline(lines, line)) return "";
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start);
}

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
    case DefectKind::division_by_zero:
      return "division-by-zero";
    case DefectKind::too_many_accesses:
      return "time-limit";
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

}  // namespace gpulab::learn
