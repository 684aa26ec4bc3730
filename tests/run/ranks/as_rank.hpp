#pragma once

#include "test.hpp"

namespace gpulab::run::ranks {

// Runs `gpulab_tests --as-rank CASE` in one of the processes that mpirun or srun has started. Prints "rank 1
// of 4, local 1 of 4 on NODE: right" if nothing was wrong, and throws where something was or the case asks
// for it.
void act_as_rank(const std::string& test_case);

}  // namespace gpulab::run::ranks
