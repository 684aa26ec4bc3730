#pragma once

#include <string>

#include "core/result.hpp"
#include "report/table.hpp"

namespace gpulab {

// "shared is at least 2x as fast as global-atomic"
std::string claim_text(const Claim& claim);

// "holds", "does not hold", "needs a GPU", in the colour of each.
Cell verdict_words(ClaimVerdict verdict);

}  // namespace gpulab
