#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// A learner's kernel, the first of the results, beside the lesson's own as they ran on a GPU; empty where
// there was none.
std::string gpu_check_table(const std::vector<VariantResult>& on_gpu, const TextStyle& style);

}  // namespace gpulab
