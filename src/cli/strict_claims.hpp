#pragma once

#include <string>

#include "core/bench_result.hpp"
#include "core/result.hpp"

namespace gpulab::cli {

// What --strict-claims asks for: code 5 where everything is right and a claim does not hold. What is
// inconclusive or was not measured is no failure.
ExitCode strict_exit_code_of(const LessonResult& result);
ExitCode strict_exit_code_of(const BenchResult& result);

// Lines for stderr, one for each claim that does not hold; empty when there is none.
std::string broken_claims_text(const LessonResult& result);
std::string broken_claims_text(const BenchResult& result);

}  // namespace gpulab::cli
