#pragma once

#include "core/result.hpp"
#include "run/problem_cache.hpp"

namespace gpulab::run {

// A variant that is a whole program: compiled and run, watched, on the simulated device or, where the device
// is a GPU, by nvcc; judged by what watching finds and by what it prints. Whatever goes wrong is in the
// result.
VariantResult run_program(const RunContext& context, const Variant& variant);

}  // namespace gpulab::run
