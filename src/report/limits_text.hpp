#pragma once

#include <string>

#include "core/limits_result.hpp"
#include "core/run_facts.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// The table of `gpulab bench --profile limits` for people: a heading, a row for each case, what of the
// targets is met, and the CPU's references.
std::string limits_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style);

}  // namespace gpulab
