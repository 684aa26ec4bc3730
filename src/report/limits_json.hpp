#pragma once

#include <string>

#include "core/limits_result.hpp"
#include "core/run_facts.hpp"

namespace gpulab {

// One document, "gpulab.limits". Times are in seconds, rates in bytes or operations per second.
std::string limits_json(const LimitsResult& result, const RunFacts& facts);

}  // namespace gpulab
