#pragma once

#include <string>

#include "core/limits_result.hpp"
#include "core/run_facts.hpp"

namespace gpulab {

// One document, "gpulab.limits", that matches data/gpulab-limits.schema.json.
std::string limits_json(const LimitsResult& result, const RunFacts& facts);

}  // namespace gpulab
