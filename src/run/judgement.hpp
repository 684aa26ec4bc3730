#pragma once

#include "core/result.hpp"
#include "run/variant_execution.hpp"

namespace gpulab::run {

// Compares what a variant computed with the reference, looks at guard zones, inputs and memory left behind,
// and fills in what was observed. Puts the inputs back where something was written into them. Returns the
// outputs.
Outputs judge(const RunContext& context, const Variant& variant, VariantExecution& execution,
              VariantResult& result);

}  // namespace gpulab::run
