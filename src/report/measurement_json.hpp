#pragma once

#include "core/result.hpp"
#include "core/run_facts.hpp"
#include "report/json_values.hpp"

// What every document with measurements has: how long, on what, by whom.

namespace gpulab {

Json timing_json(const Timing& timing);
Json device_json(const DeviceProperties& device);
Json tool_json(const BuildFacts& build);
Json run_json(const RunFacts& facts);
Json host_json(const RunFacts& facts);

}  // namespace gpulab
