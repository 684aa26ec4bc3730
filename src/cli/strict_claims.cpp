#include "cli/strict_claims.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "core/text.hpp"
#include "report/quantity_text.hpp"
#include "report/words.hpp"

namespace gpulab::cli {

namespace {

bool is_broken(const ClaimResult& claim) {
  return claim.verdict == ClaimVerdict::does_not_hold;
}

std::string line_of(const std::string& lesson, std::size_t size, const ClaimResult& claim) {
  if (!is_broken(claim)) return {};
  const std::string measured = claim.ratio ? " (" + report::factor_text(*claim.ratio) + ")" : "";
  return fmt::format("gpulab: {}, size {}: does not hold: {}{}\n", lesson, grouped(size),
                     report::claim_text(claim.claim), measured);
}

}  // namespace

ExitCode strict_exit_code_of(const LessonResult& result) {
  const bool broken = std::ranges::any_of(result.claims, is_broken);
  return more_severe(exit_code_of(result), broken ? ExitCode::regression : ExitCode::ok);
}

ExitCode strict_exit_code_of(const BenchResult& result) {
  const bool broken = std::ranges::any_of(result.claims, is_broken, &BenchClaim::result);
  return more_severe(exit_code_of(result), broken ? ExitCode::regression : ExitCode::ok);
}

std::string broken_claims_text(const LessonResult& result) {
  std::string text;
  for (const ClaimResult& claim : result.claims) text += line_of(result.lesson, result.size, claim);
  return text;
}

std::string broken_claims_text(const BenchResult& result) {
  std::string text;
  for (const BenchClaim& claim : result.claims) text += line_of(claim.lesson, claim.size, claim.result);
  return text;
}

}  // namespace gpulab::cli
