#include "report/identifiers.hpp"

#include <algorithm>

namespace gpulab::report {

namespace {

std::string with_underscores(std::string_view words) {
  std::string name(words);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

std::string identifier(Outcome outcome) {
  return with_underscores(name_of(outcome));
}

std::string identifier(AccessKind kind) {
  return with_underscores(name_of(kind));
}

std::string identifier(AccessCost cost) {
  switch (cost) {
    case AccessCost::sectors:
      return "sectors";
    case AccessCost::bank_conflicts:
      return "bank_conflicts";
    case AccessCost::same_address:
      return "same_address";
    case AccessCost::idle_lanes:
      break;
  }
  return "idle_lanes";
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

std::string identifier(Claim::Kind kind) {
  switch (kind) {
    case Claim::Kind::faster:
      return "faster";
    case Claim::Kind::not_faster:
      return "not_faster";
    case Claim::Kind::fewer_counted:
      break;
  }
  return "fewer_counted";
}

std::string identifier(Span::Kind kind) {
  switch (kind) {
    case Span::Kind::kernel:
      return "kernel";
    case Span::Kind::to_device:
      return "copy_to_device";
    case Span::Kind::to_host:
      return "copy_to_host";
    case Span::Kind::other:
      break;
  }
  return "other";
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
    case ClaimVerdict::needs_simulator:
      return "needs_simulator";
    case ClaimVerdict::not_measured:
      break;
  }
  return "not_measured";
}

std::string identifier(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return "right";
    case Verdict::defect:
      return "defect";
    case Verdict::wrong:
      return "wrong";
    case Verdict::does_not_compile:
      break;
  }
  return "does_not_compile";
}

std::string identifier(ExerciseState state) {
  switch (state) {
    case ExerciseState::not_started:
      return "not_started";
    case ExerciseState::started:
      return "started";
    case ExerciseState::passed:
      break;
  }
  return "passed";
}

std::string identifier(Target::Kind kind) {
  switch (kind) {
    case Target::Kind::times_yardstick:
      return "times_yardstick";
    case Target::Kind::part_of_ceiling:
      return "part_of_ceiling";
    case Target::Kind::operations_per_s:
      return "operations_per_s";
    case Target::Kind::times_rung:
      break;
  }
  return "times_rung";
}

}  // namespace gpulab::report
