#include "core/check_result.hpp"

#include <algorithm>

namespace gpulab {
namespace {

ExitCode code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return ExitCode::ok;
    case Verdict::does_not_compile:
      return ExitCode::compilation;
    case Verdict::defect:
    case Verdict::wrong:
    case Verdict::unanswered:
      break;
  }
  return ExitCode::wrong_result;
}

}  // namespace

ExitCode exit_code_of(const std::vector<CheckResult>& results) {
  ExitCode gravest = ExitCode::ok;
  for (const CheckResult& result : results) gravest = std::max(gravest, code_of(result.verdict));
  return gravest;
}

}  // namespace gpulab
