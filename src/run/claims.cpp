#include "run/run_lesson.hpp"

#include <algorithm>

namespace gpulab::run {
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

ClaimResult judge_times(const Claim& claim, const LessonResult& result) {
  if (result.simulated()) return {claim, ClaimVerdict::needs_gpu, std::nullopt};
  if (result.size < claim.from) return {claim, ClaimVerdict::not_measured, std::nullopt};
  const Timing* better = timing_of(result, claim.better);
  const Timing* worse = timing_of(result, claim.worse);
  if (!better || !worse) return {claim, ClaimVerdict::not_measured, std::nullopt};
  // What is not faster than the other is what takes longer.
  if (claim.kind == Claim::Kind::not_faster) std::swap(better, worse);

  ClaimResult judged{claim, ClaimVerdict::inconclusive, worse->median_s / better->median_s};
  if (!better->confidence_s || !worse->confidence_s) return judged;
  if (worse->confidence_s->low / better->confidence_s->high >= claim.ratio)
    judged.verdict = ClaimVerdict::holds;
  if (worse->confidence_s->high / better->confidence_s->low < claim.ratio)
    judged.verdict = ClaimVerdict::does_not_hold;
  return judged;
}

// At sizes that are no multiple of a warp the last one differs; with few warps that is all there is.
constexpr double counts_as = 0.97;
constexpr std::size_t smallest_count = 4096;

std::optional<double> figure_of(const LessonResult& result, const std::string& name,
                                const std::string& figure) {
  for (const VariantResult& variant : result.variants)
    for (const Figure& candidate : variant.findings.figures)
      if (variant.name == name && candidate.name == figure) return candidate.value;
  return std::nullopt;
}

ClaimResult judge_counts(const Claim& claim, const LessonResult& result) {
  if (!result.simulated()) return {claim, ClaimVerdict::needs_simulator, std::nullopt};
  const auto fewer = figure_of(result, claim.better, claim.figure);
  const auto more = figure_of(result, claim.worse, claim.figure);
  if (!fewer || !more || *fewer <= 0) return {claim, ClaimVerdict::not_measured, std::nullopt};
  if (result.size < smallest_count) return {claim, ClaimVerdict::not_measured, std::nullopt};
  const double ratio = *more / *fewer;
  return {claim, ratio >= counts_as * claim.ratio ? ClaimVerdict::holds : ClaimVerdict::does_not_hold, ratio};
}

ClaimResult judge(const Claim& claim, const LessonResult& result) {
  return claim.kind == Claim::Kind::fewer_counted ? judge_counts(claim, result) : judge_times(claim, result);
}

}  // namespace

std::vector<ClaimResult> judge_claims(const std::vector<Claim>& claims, const LessonResult& result,
                                      const std::function<LaunchContext(const Claim&)>& context_of) {
  std::vector<ClaimResult> judged;
  for (const Claim& claim : claims) {
    if (!was_run(result, claim.better) || !was_run(result, claim.worse)) continue;
    const bool is_meant = !claim.where || claim.where(context_of(claim));
    judged.push_back(is_meant ? judge(claim, result) : ClaimResult{claim});
  }
  return judged;
}

}  // namespace gpulab::run
