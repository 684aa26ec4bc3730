#include "report/identifiers.hpp"

#include <algorithm>

namespace gpulab {

std::string identifier(Outcome outcome) {
  std::string name(name_of(outcome));
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string identifier(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::time_budget:
      return "time_budget";
    case StopReason::sample_limit:
      break;
  }
  return "sample_limit";
}

std::string identifier(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return "holds";
    case ClaimVerdict::does_not_hold:
      return "does_not_hold";
    case ClaimVerdict::inconclusive:
      return "inconclusive";
    case ClaimVerdict::needs_gpu:
      return "needs_gpu";
    case ClaimVerdict::not_measured:
      break;
  }
  return "not_measured";
}

}  // namespace gpulab
