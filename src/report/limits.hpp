#pragma once

#include <string>
#include <vector>

#include "core/limits_result.hpp"
#include "core/run_facts.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// The table of `gpulab limits` for people: a heading, a row for each case, what of the targets is met, and
// the CPU's references.
std::string limits_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style);

// One document, "gpulab.limits". Times are in seconds, rates in bytes or operations per second.
std::string limits_json(const LimitsResult& result, const RunFacts& facts);

}  // namespace gpulab::report
