#pragma once

#include <cstddef>
#include <vector>

#include "lesson/problem.hpp"

namespace gpulab::lessons::multi_gpu {

// Returns the counts if the ranks count other elements than their own, for each typical wrong division that
// gives another result at that size. Each text names the ranks and the elements.
std::vector<TypicalResult> wrong_divisions(std::size_t size, int ranks, bool only_some_ranks = false);

}  // namespace gpulab::lessons::multi_gpu
