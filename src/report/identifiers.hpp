#pragma once

#include <string>

#include "core/check_result.hpp"
#include "core/costly_access.hpp"
#include "core/exercise_progress.hpp"
#include "core/limit.hpp"
#include "core/result.hpp"

// The names that scripts know: "fails_to_compile", "time_budget". They belong to the published schema.

namespace gpulab::report {

std::string identifier(Outcome outcome);
std::string identifier(StopReason reason);
std::string identifier(ClaimVerdict verdict);
std::string identifier(Claim::Kind kind);
std::string identifier(Span::Kind kind);
std::string identifier(Verdict verdict);
std::string identifier(ExerciseState state);
std::string identifier(AccessKind kind);
std::string identifier(AccessCost cost);
std::string identifier(Target::Kind kind);

}  // namespace gpulab::report
