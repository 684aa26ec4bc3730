#pragma once

#include <string>

#include "core/check_result.hpp"

namespace gpulab {

// A check's result as bytes that a child process hands to its parent, and back. Throws std::runtime_error for
// bytes that are not all there.
std::string packed(const CheckResult& result);
CheckResult unpacked(const std::string& bytes);

// The same of what a GPU made of some variants: names, outcomes, explanations and median times.
std::string packed(const std::vector<VariantResult>& variants);
std::vector<VariantResult> unpacked_variants(const std::string& bytes);

}  // namespace gpulab
