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
      return "passed";
    case Verdict::defect:
      return "defect";
    case Verdict::wrong:
      return "wrong";
    case Verdict::unanswered:
      return "unanswered";
    case Verdict::not_checked:
      return "not_checked";
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

namespace {

std::string capitals(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return result;
}

std::string what_happened(const VariantResult& variant) {
  const std::string observed(name_of(variant.observed)), expected(name_of(variant.expected));
  if (is_right_as_expected(variant)) return "";
  if (!variant.as_expected())
    return variant.expected == Outcome::right ? "" : "expected " + expected + ", observed " + observed;
  return variant.expected == Outcome::race ? "a race, " + observed + " this time" : observed;
}

std::string why(const VariantResult& variant) {
  if (!variant.explanation.empty() || variant.wrong_elements == 0) return variant.explanation;
  return grouped(variant.wrong_elements) + " elements differ from the reference";
}

std::string at_which_size(const VariantResult& variant, std::size_t asked_size) {
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

std::string story(const VariantResult& variant, std::size_t asked_size) {
  const std::string head = joined(at_which_size(variant, asked_size), ", ", what_happened(variant));
  return joined(head, ": ", is_right_as_expected(variant) ? "" : why(variant));
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

Cell verdict_words(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return {"holds", Ink::green};
    case ClaimVerdict::does_not_hold:
      return {"does not hold", Ink::red};
    case ClaimVerdict::inconclusive:
      return {"inconclusive", Ink::yellow};
    case ClaimVerdict::needs_gpu:
      return {"needs a GPU", Ink::cyan};
    case ClaimVerdict::needs_simulator:
      return {"needs --device simulator", Ink::cyan};
    case ClaimVerdict::not_measured:
      break;
  }
  return {"not measured", Ink::yellow};
}

std::string actual_text(const Difference& difference) {
  const std::string got = "got " + element_text(difference.actual);
  if (!difference.is_poison) return got;
  // A thread may well store -1, but not the one NaN of all.
  return std::isnan(difference.actual) ? "not written" : got + ", as before the launch";
}

}  // namespace gpulab
