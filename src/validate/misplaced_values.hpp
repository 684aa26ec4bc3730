#pragma once

#include <optional>
#include <string>

#include "validate/evidence.hpp"

namespace gpulab {

// Lines for results whose wrong elements hold right values of other elements. There are none where a wrong
// value could be one of the right ones by chance: where these lie close together, or are often the same.

// All of them hold what one and the same element should.
std::optional<std::string> repeated_value(const Evidence& evidence);
// Each of them holds what some other element should.
std::optional<std::string> misplaced_values(const Evidence& evidence);

}  // namespace gpulab
