#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace gpulab::run::ranks {

// What came of ranks, as one process tells the others.
std::string text_of(const std::vector<RankResult>& ranks);
std::vector<RankResult> rank_results_of(const std::string& text);

}  // namespace gpulab::run::ranks
