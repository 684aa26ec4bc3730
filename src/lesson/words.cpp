#include "lesson/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "lesson/result.hpp"

namespace gpulab {
namespace {

std::string with_underscores(std::string_view words) {
  return replaced(std::string(words), ' ', '_');
}

}  // namespace

std::string identifier(Outcome outcome) {
  return with_underscores(name_of(outcome));
}

std::string identifier(AccessKind kind) {
  return with_underscores(name_of(kind));
}

std::string identifier(AccessCost cost) {
  using enum AccessCost;
  static constexpr Named<AccessCost> names[] = {
      {sectors, "sectors"},
      {bank_conflicts, "bank_conflicts"},
      {same_address, "same_address"},
      {idle_lanes, "idle_lanes"},
  };
  static_assert(names_every(names, idle_lanes));
  return std::string(name_in(names, cost));
}

std::string_view name_of(Limiter limiter) {
  using enum Limiter;
  static constexpr Named<Limiter> names[] = {
      {launch, "launch"},          {dram, "DRAM bandwidth"},       {l2, "L2 bandwidth"},
      {l1, "L1 bandwidth"},        {issue, "instructions"},        {multiply_add, "float32"},
      {float64, "float64"},        {special, "special functions"}, {atomics, "atomics"},
      {latency, "memory latency"},
  };
  static_assert(names_every(names, latency));
  return name_in(names, limiter);
}

std::string identifier(Limiter limiter) {
  using enum Limiter;
  static constexpr Named<Limiter> names[] = {
      {launch, "launch"},   {dram, "dram"},       {l2, "l2"},
      {l1, "l1"},           {issue, "issue"},     {multiply_add, "multiply_add"},
      {float64, "float64"}, {special, "special"}, {atomics, "atomics"},
      {latency, "latency"},
  };
  static_assert(names_every(names, latency));
  return std::string(name_in(names, limiter));
}

std::string identifier(StopReason reason) {
  using enum StopReason;
  static constexpr Named<StopReason> names[] = {
      {converged, "converged"}, {time_budget, "time_budget"}, {sample_limit, "sample_limit"}};
  static_assert(names_every(names, sample_limit));
  return std::string(name_in(names, reason));
}

std::string identifier(Claim::Kind kind) {
  using enum Claim::Kind;
  static constexpr Named<Claim::Kind> names[] = {
      {faster, "faster"}, {not_faster, "not_faster"}, {fewer_counted, "fewer_counted"}};
  static_assert(names_every(names, fewer_counted));
  return std::string(name_in(names, kind));
}

std::string identifier(Span::Kind kind) {
  using enum Span::Kind;
  static constexpr Named<Span::Kind> names[] = {
      {kernel, "kernel"}, {to_device, "copy_to_device"}, {to_host, "copy_to_host"}, {other, "other"}};
  static_assert(names_every(names, other));
  return std::string(name_in(names, kind));
}

std::string identifier(ClaimVerdict verdict) {
  using enum ClaimVerdict;
  static constexpr Named<ClaimVerdict> names[] = {
      {holds, "holds"},
      {does_not_hold, "does_not_hold"},
      {inconclusive, "inconclusive"},
      {predicted, "predicted"},
      {predicted_not, "predicted_not"},
      {needs_gpu, "needs_gpu"},
      {needs_simulator, "needs_simulator"},
      {not_measured, "not_measured"},
  };
  static_assert(names_every(names, not_measured));
  return std::string(name_in(names, verdict));
}

std::string identifier(Verdict verdict) {
  using enum Verdict;
  static constexpr Named<Verdict> names[] = {
      {right, "passed"},
      {defect, "defect"},
      {wrong, "wrong"},
      {unanswered, "unanswered"},
      {does_not_compile, "does_not_compile"},
      {not_checked, "not_checked"},
  };
  static_assert(names_every(names, not_checked));
  return std::string(name_in(names, verdict));
}

std::string identifier(ExerciseState state) {
  using enum ExerciseState;
  static constexpr Named<ExerciseState> names[] = {
      {not_started, "not_started"}, {started, "started"}, {passed, "passed"}};
  static_assert(names_every(names, passed));
  return std::string(name_in(names, state));
}

namespace {

std::string capitals(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return result;
}

// Returns the outcome of a variant that is wrong on purpose; "" for one that should be right.
std::string outcome_of_mistake(const VariantResult& variant) {
  if (variant.expected == Outcome::right) return "";
  const std::string observed(name_of(variant.observed)), expected(name_of(variant.expected));
  if (!variant.as_expected()) return fmt::format("expected {}, observed {}", expected, observed);
  return variant.expected == Outcome::race ? "a race, " + observed + " this time" : observed;
}

std::string reason_for(const VariantResult& variant) {
  if (!variant.explanation.empty() || variant.wrong_elements == 0) return variant.explanation;
  return grouped(variant.wrong_elements) + " elements differ from the reference";
}

std::string time_and_size(const VariantResult& variant, std::size_t asked_size) {
  if (!variant.launch || variant.size >= asked_size) return "";
  const std::string size =
      fmt::format("run with {} of {} elements", grouped(variant.size), grouped(asked_size));
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
