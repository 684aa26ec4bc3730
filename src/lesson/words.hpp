#pragma once

#include <cstddef>
#include <string>

#include "base/table.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"

namespace gpulab {

// The names that scripts know: "fails_to_compile", "time_budget". They belong to the published schema.

std::string identifier(Outcome outcome);
std::string identifier(StopReason reason);
std::string identifier(ClaimVerdict verdict);
std::string identifier(Claim::Kind kind);
std::string identifier(Span::Kind kind);
std::string identifier(Verdict verdict);
std::string identifier(ExerciseState state);
std::string identifier(AccessKind kind);
std::string identifier(AccessCost cost);

// "right", "as expected" for a mistake that the lesson is about, and capitals for what was not expected.
Cell result_cell(const VariantResult& variant);

// "-" for the first reference, which everything else is compared with.
Cell result_cell(const ReferenceResult& reference, bool is_first);

// What stands in the row of a variant in place of figures: what happened and why. Empty for a variant that is
// right as expected, at the size asked for.
std::string story(const VariantResult& variant, std::size_t asked_size);

// The same without the reason.
std::string short_story(const VariantResult& variant, std::size_t asked_size);

// "shared is at least 2x as fast as global-atomic"
std::string claim_text(const Claim& claim);

// "holds", "does not hold", "needs a GPU", in the colour of each.
Cell verdict_words(ClaimVerdict verdict);

// What is there in place of it: "got 0.5", "not written".
std::string actual_text(const Difference& difference);

}  // namespace gpulab
