#include "lesson/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "lesson/result.hpp"

namespace gpulab {
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
  static constexpr Named<AccessCost> names[] = {
      {AccessCost::sectors, "sectors"},
      {AccessCost::bank_conflicts, "bank_conflicts"},
      {AccessCost::same_address, "same_address"},
      {AccessCost::idle_lanes, "idle_lanes"},
  };
  static_assert(names_every(names, AccessCost::idle_lanes));
  return std::string(name_in(names, cost));
}

std::string_view name_of(Limiter limiter) {
  static constexpr Named<Limiter> names[] = {
      {Limiter::launch, "launch"},      {Limiter::dram, "DRAM bandwidth"},
      {Limiter::l2, "L2 bandwidth"},    {Limiter::l1, "L1 bandwidth"},
      {Limiter::issue, "instructions"}, {Limiter::multiply_add, "float32"},
      {Limiter::float64, "float64"},    {Limiter::special, "special functions"},
      {Limiter::atomics, "atomics"},    {Limiter::latency, "memory latency"},
  };
  static_assert(names_every(names, Limiter::latency));
  return name_in(names, limiter);
}

std::string identifier(Limiter limiter) {
  static constexpr Named<Limiter> names[] = {
      {Limiter::launch, "launch"},   {Limiter::dram, "dram"},       {Limiter::l2, "l2"},
      {Limiter::l1, "l1"},           {Limiter::issue, "issue"},     {Limiter::multiply_add, "multiply_add"},
      {Limiter::float64, "float64"}, {Limiter::special, "special"}, {Limiter::atomics, "atomics"},
      {Limiter::latency, "latency"},
  };
  static_assert(names_every(names, Limiter::latency));
  return std::string(name_in(names, limiter));
}

std::string identifier(StopReason reason) {
  static constexpr Named<StopReason> names[] = {
      {StopReason::converged, "converged"},
      {StopReason::time_budget, "time_budget"},
      {StopReason::sample_limit, "sample_limit"},
  };
  static_assert(names_every(names, StopReason::sample_limit));
  return std::string(name_in(names, reason));
}

std::string identifier(Claim::Kind kind) {
  static constexpr Named<Claim::Kind> names[] = {
      {Claim::Kind::faster, "faster"},
      {Claim::Kind::not_faster, "not_faster"},
      {Claim::Kind::fewer_counted, "fewer_counted"},
  };
  static_assert(names_every(names, Claim::Kind::fewer_counted));
  return std::string(name_in(names, kind));
}

std::string identifier(Span::Kind kind) {
  static constexpr Named<Span::Kind> names[] = {
      {Span::Kind::kernel, "kernel"},
      {Span::Kind::to_device, "copy_to_device"},
      {Span::Kind::to_host, "copy_to_host"},
      {Span::Kind::other, "other"},
  };
  static_assert(names_every(names, Span::Kind::other));
  return std::string(name_in(names, kind));
}

std::string identifier(ClaimVerdict verdict) {
  static constexpr Named<ClaimVerdict> names[] = {
      {ClaimVerdict::holds, "holds"},
      {ClaimVerdict::does_not_hold, "does_not_hold"},
      {ClaimVerdict::inconclusive, "inconclusive"},
      {ClaimVerdict::predicted, "predicted"},
      {ClaimVerdict::predicted_not, "predicted_not"},
      {ClaimVerdict::needs_gpu, "needs_gpu"},
      {ClaimVerdict::needs_simulator, "needs_simulator"},
      {ClaimVerdict::not_measured, "not_measured"},
  };
  static_assert(names_every(names, ClaimVerdict::not_measured));
  return std::string(name_in(names, verdict));
}

std::string identifier(Verdict verdict) {
  static constexpr Named<Verdict> names[] = {
      {Verdict::right, "passed"},
      {Verdict::defect, "defect"},
      {Verdict::wrong, "wrong"},
      {Verdict::unanswered, "unanswered"},
      {Verdict::does_not_compile, "does_not_compile"},
      {Verdict::not_checked, "not_checked"},
  };
  static_assert(names_every(names, Verdict::not_checked));
  return std::string(name_in(names, verdict));
}

std::string identifier(ExerciseState state) {
  static constexpr Named<ExerciseState> names[] = {
      {ExerciseState::not_started, "not_started"},
      {ExerciseState::started, "started"},
      {ExerciseState::passed, "passed"},
  };
  static_assert(names_every(names, ExerciseState::passed));
  return std::string(name_in(names, state));
}

namespace {

std::string capitals(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return result;
}

std::string outcome_of_mistake(const VariantResult& variant) {
  const std::string observed(name_of(variant.observed)), expected(name_of(variant.expected));
  if (is_right_as_expected(variant)) return "";
  if (!variant.as_expected())
    return variant.expected == Outcome::right ? "" : "expected " + expected + ", observed " + observed;
  return variant.expected == Outcome::race ? "a race, " + observed + " this time" : observed;
}

std::string reason_for(const VariantResult& variant) {
  if (!variant.explanation.empty() || variant.wrong_elements == 0) return variant.explanation;
  return grouped(variant.wrong_elements) + " elements differ from the reference";
}

std::string time_and_size(const VariantResult& variant, std::size_t asked_size) {
  if (!variant.launch || variant.size >= asked_size) return "";
  const std::string size = "at " + grouped(variant.size) + " of " + grouped(asked_size) + " elements";
  return variant.kernel_cold ? duration_text(variant.kernel_cold->median_s) + " " + size : size;
}

std::string joined(const std::string& first, const char* separator, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + separator + second;
}

}  // namespace

Cell result_cell(const VariantResult& variant) {
  if (!variant.as_expected()) return {capitals(name_of(variant.observed)), Ink::red};
  if (variant.expected == Outcome::right) return {"right", Ink::green};
  return {"as expected", Ink::cyan};
}

Cell result_cell(const ReferenceResult& reference, bool is_first) {
  if (reference.observed != Outcome::right) return {capitals(name_of(reference.observed)), Ink::red};
  return is_first ? Cell{"-"} : Cell{"right", Ink::green};
}

std::string outcome_text(const VariantResult& variant, std::size_t asked_size) {
  return joined(time_and_size(variant, asked_size), ", ", outcome_of_mistake(variant));
}

std::string outcome_and_reason(const VariantResult& variant, std::size_t asked_size) {
  return joined(outcome_text(variant, asked_size), ": ",
                is_right_as_expected(variant) ? "" : reason_for(variant));
}

std::string claim_text(const Claim& claim) {
  switch (claim.kind) {
    case Claim::Kind::not_faster:
      return fmt::format("{} is no faster than {}", claim.better, claim.worse);
    case Claim::Kind::fewer_counted:
      return fmt::format("{} has at least {:g}x fewer {} than {}", claim.better, claim.ratio, claim.figure,
                         claim.worse);
    case Claim::Kind::faster:
      break;
  }
  return fmt::format("{} is at least {:g}x as fast as {}", claim.better, claim.ratio, claim.worse);
}

Cell verdict_cell(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return {"holds", Ink::green};
    case ClaimVerdict::does_not_hold:
      return {"does not hold", Ink::red};
    case ClaimVerdict::inconclusive:
      return {"inconclusive", Ink::yellow};
    case ClaimVerdict::predicted:
      return {"predicted to hold", Ink::cyan};
    case ClaimVerdict::predicted_not:
      return {"predicted not to hold", Ink::yellow};
    case ClaimVerdict::needs_gpu:
      return {"needs a GPU", Ink::cyan};
    case ClaimVerdict::needs_simulator:
      return {"needs --device simulator", Ink::cyan};
    case ClaimVerdict::not_measured:
      break;
  }
  return {"not measured", Ink::yellow};
}

std::string actual_text(const Difference& difference, const std::string& actual) {
  const std::string got = "got " + actual;
  if (!difference.is_poison) return got;
  // A thread may store -1, but hardly this NaN.
  return std::isnan(difference.actual) ? "not written" : got + ", as before the launch";
}

}  // namespace gpulab
