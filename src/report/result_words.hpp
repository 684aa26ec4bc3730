#pragma once

#include <cstddef>
#include <string>

#include "core/result.hpp"
#include "report/table.hpp"

namespace gpulab::report {

// "right", "as stated" for a mistake that the lesson is about, and capitals for what was not stated.
Cell result_cell(const VariantResult& variant);

// "-" for the first reference, which everything else is compared with.
Cell result_cell(const ReferenceResult& reference, bool is_first);

// What stands in the row of a variant in place of figures: what happened and why. Empty for a variant that is
// right as stated, at the size asked for.
std::string story(const VariantResult& variant, std::size_t asked_size);

// "shared is at least 2x as fast as global-atomic"
std::string claim_text(const Claim& claim);

// "holds", "does not hold", "needs a GPU", in the colour of each.
Cell verdict_words(ClaimVerdict verdict);

}  // namespace gpulab::report
