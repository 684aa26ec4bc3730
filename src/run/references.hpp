#pragma once

#include <vector>

#include "core/result.hpp"
#include "run/prepared_problem.hpp"

namespace gpulab::run {

// Times the plain loop on one thread and the OpenMP reference on all, and checks the second against the
// first. Without a plain loop the second alone: it made what is expected.
std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s);

}  // namespace gpulab::run
