#include "core/comparison.hpp"

#include <algorithm>

namespace gpulab {

std::string_view name_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::invalid:
      return "invalid";
    case ChangeKind::regressed:
      return "regressed";
    case ChangeKind::inconclusive:
      return "inconclusive";
    case ChangeKind::missing:
      return "missing";
    case ChangeKind::incomparable:
      return "incomparable";
    case ChangeKind::improved:
      return "improved";
    case ChangeKind::is_new:
      return "new";
    case ChangeKind::same:
      return "same";
    case ChangeKind::not_judged:
      break;
  }
  return "not_judged";
}

std::size_t Comparison::count(ChangeKind kind) const {
  return static_cast<std::size_t>(std::ranges::count(changes, kind, &Change::kind));
}

ExitCode exit_code_of(const Comparison& comparison) {
  if (comparison.count(ChangeKind::regressed) > 0) return ExitCode::regression;
  return comparison.count(ChangeKind::invalid) > 0 ? ExitCode::wrong_result : ExitCode::ok;
}

}  // namespace gpulab
