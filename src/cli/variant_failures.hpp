#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace gpulab {

// Lines for stderr: what should have run and did not is an error of its own, beside its place in the report.
std::string failures_text(const std::string& lesson, const std::vector<VariantResult>& variants);

}  // namespace gpulab
