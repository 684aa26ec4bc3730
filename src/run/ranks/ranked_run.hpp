#pragma once

#include "core/result.hpp"
#include "run/ranks/ranks.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run::ranks {

// One rung on several devices: as run_variant, for a variant with on_each_rank. In every process the result
// is the same: that of all ranks. A sample is the time of the slowest rank, from the moment at which all were
// ready.
VariantResult run_on_ranks(Ranks& ranks, DividedProblem& problem, const VariantTask& task);

}  // namespace gpulab::run::ranks
