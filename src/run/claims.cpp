#include "run/claims.hpp"

#include <algorithm>

namespace gpulab {
namespace {

const Timing* timing_of(const LessonResult& result, const std::string& name) {
  for (const VariantResult& variant : result.variants)
    if (variant.name == name && variant.observed == Outcome::right && variant.kernel_cold)
      return &*variant.kernel_cold;
  return nullptr;
}

bool was_run(const LessonResult& result, const std::string& name) {
  return std::ranges::any_of(result.variants,
                             [&](const VariantResult& variant) { return variant.name == name; });
}

ClaimResult judge(const Claim& claim, const LessonResult& result) {
  const Timing* faster = timing_of(result, claim.faster);
  const Timing* slower = timing_of(result, claim.slower);
  if (result.simulated()) return {claim, ClaimVerdict::needs_gpu, std::nullopt};
  if (!faster || !slower) return {claim, ClaimVerdict::not_measured, std::nullopt};

  ClaimResult judged{claim, ClaimVerdict::inconclusive, slower->median_s / faster->median_s};
  if (!faster->confidence_s || !slower->confidence_s) return judged;
  if (slower->confidence_s->low / faster->confidence_s->high >= claim.ratio)
    judged.verdict = ClaimVerdict::holds;
  if (slower->confidence_s->high / faster->confidence_s->low < claim.ratio)
    judged.verdict = ClaimVerdict::does_not_hold;
  return judged;
}

}  // namespace

std::vector<ClaimResult> judge_claims(const std::vector<Claim>& claims, const LessonResult& result) {
  std::vector<ClaimResult> judged;
  for (const Claim& claim : claims)
    if (was_run(result, claim.faster) && was_run(result, claim.slower))
      judged.push_back(judge(claim, result));
  return judged;
}

}  // namespace gpulab
