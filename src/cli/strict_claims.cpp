#include "cli/strict_claims.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "core/text.hpp"
#include "report/quantity_text.hpp"
#include "report/words.hpp"

namespace gpulab::cli {

ExitCode strict_exit_code_of(const LessonResult& result) {
  const bool is_broken = std::ranges::any_of(
      result.claims, [](const ClaimResult& claim) { return claim.verdict == ClaimVerdict::does_not_hold; });
  return more_severe(exit_code_of(result), is_broken ? ExitCode::regression : ExitCode::ok);
}

std::string broken_claims_text(const LessonResult& result) {
  std::string text;
  for (const ClaimResult& claim : result.claims) {
    if (claim.verdict != ClaimVerdict::does_not_hold) continue;
    const std::string measured = claim.ratio ? " (" + report::factor_text(*claim.ratio) + ")" : "";
    text += fmt::format("gpulab: {}, size {}: does not hold: {}{}\n", result.lesson, grouped(result.size),
                        report::claim_text(claim.claim), measured);
  }
  return text;
}

}  // namespace gpulab::cli
