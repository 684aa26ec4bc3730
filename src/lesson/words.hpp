#pragma once

#include <cstddef>
#include <string>

#include "base/table.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"

namespace gpulab {

// Formats a quantity, or "n/a" if there is none.
template <class ToText>
std::string text_or_not_available(const ToText& text_of, std::optional<double> quantity) {
  return quantity ? text_of(*quantity) : not_available;
}

// Identifiers for scripts: "fails_to_compile", "time_budget". They belong to the published schema.

std::string identifier(Outcome outcome);
std::string identifier(StopReason reason);
std::string identifier(Limiter limiter);
std::string identifier(ClaimVerdict verdict);
std::string identifier(Claim::Kind kind);
std::string identifier(Span::Kind kind);
std::string identifier(Verdict verdict);
std::string identifier(ExerciseState state);
std::string identifier(AccessKind kind);
std::string identifier(AccessCost cost);

// Returns "right", "as expected" for an intended mistake, or the outcome in capitals if unexpected.
Cell result_cell(const VariantResult& variant);

// Returns "-" for the first reference, which everything else is compared with.
Cell result_cell(const ReferenceResult& reference, bool is_first);

// Returns the text that replaces the figures in a variant's row: the outcome and its reason. Empty for a
// variant that is right as expected, at the requested size.
std::string outcome_and_reason(const VariantResult& variant, std::size_t asked_size);

// Returns the outcome without the reason.
std::string outcome_text(const VariantResult& variant, std::size_t asked_size);

// Returns "shared is at least 2x as fast as global-atomic".
std::string claim_text(const Claim& claim);

// Returns "holds", "does not hold", "needs a GPU" and so on, in colour.
Cell verdict_cell(ClaimVerdict verdict);

// Returns "got 0.5" for the number's text `actual`, "got -1, as before the launch", or "not written".
std::string actual_text(const Difference& difference, const std::string& actual);

}  // namespace gpulab
