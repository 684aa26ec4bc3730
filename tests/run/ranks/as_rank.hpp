#pragma once

#include <string>

namespace gpulab::run::ranks {

// What `gpulab_tests --as-rank CASE` does as one of the processes that mpirun or srun has started: it prints
// one line, "rank 1 of 4: right" when all was as it should be. Throws what the case is about.
void act_as_rank(const std::string& test_case);

}  // namespace gpulab::run::ranks
