#pragma once

#include "core/result.hpp"
#include "run/ranks/ranks.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run::ranks {

// One rung on several devices: as run_variant, for a variant with on_each_rank. In every process the result
// is the same: that of all ranks. A sample is the time of the slowest rank, from the moment at which all were
// ready.
VariantResult run_on_ranks(Ranks& ranks, DividedProblem& problem, const VariantTask& task);

// What a variant takes that is not judged, in seconds: the median.
double time_on_ranks(Ranks& ranks, DividedProblem& problem, const Variant& variant, unsigned block_size,
                     double budget_s);

}  // namespace gpulab::run::ranks
