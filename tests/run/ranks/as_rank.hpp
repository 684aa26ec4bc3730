#pragma once

#include "test.hpp"

namespace gpulab::run::ranks {

// Runs `gpulab_tests --as-rank CASE` in one of the processes that mpirun or srun has started: prints
// one line, "rank 1 of 4: right" if nothing was wrong. Throws the error that the case is about.
void act_as_rank(const std::string& test_case);

}  // namespace gpulab::run::ranks
