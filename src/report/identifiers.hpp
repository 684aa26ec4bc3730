#pragma once

#include <string>

#include "core/result.hpp"

// The names that scripts know: "fails_to_compile", "time_budget". They belong to the published schema.

namespace gpulab {

std::string identifier(Outcome outcome);
std::string identifier(StopReason reason);
std::string identifier(ClaimVerdict verdict);

}  // namespace gpulab
