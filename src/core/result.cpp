#include "core/result.hpp"

#include <algorithm>

namespace gpulab {

bool LessonResult::has_lost_the_device() const {
  return std::ranges::any_of(variants, &VariantResult::lost_the_device);
}

ExitCode exit_code_of(const VariantResult& variant) {
  if (variant.as_expected()) return ExitCode::ok;
  switch (variant.observed) {
    case Outcome::fails_to_compile:
      return ExitCode::compilation;
    case Outcome::fails_to_launch:
    case Outcome::faults:
    case Outcome::not_run:
      return ExitCode::device;
    default:
      return ExitCode::wrong_result;
  }
}

ExitCode exit_code_of(const LessonResult& result) {
  ExitCode code = ExitCode::ok;
  for (const ReferenceResult& reference : result.references)
    if (reference.observed != Outcome::right) code = ExitCode::wrong_result;
  for (const VariantResult& variant : result.variants) code = std::max(code, exit_code_of(variant));
  return code;
}

ExitCode more_severe(ExitCode a, ExitCode b) {
  if (a == ExitCode::regression) return b == ExitCode::ok ? a : b;
  if (b == ExitCode::regression) return a == ExitCode::ok ? b : a;
  return std::max(a, b);
}

namespace {

ExitCode code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return ExitCode::ok;
    case Verdict::does_not_compile:
      return ExitCode::compilation;
    case Verdict::not_checked:
      return ExitCode::usage;
    case Verdict::defect:
    case Verdict::wrong:
    case Verdict::unanswered:
      break;
  }
  return ExitCode::wrong_result;
}

}  // namespace

ExitCode exit_code_of(const std::vector<CheckResult>& results) {
  ExitCode most_severe = ExitCode::ok;
  for (const CheckResult& result : results) most_severe = std::max(most_severe, code_of(result.verdict));
  return most_severe;
}

}  // namespace gpulab
