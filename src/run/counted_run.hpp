#pragma once

#include "core/result.hpp"
#include "run/problem_cache.hpp"

namespace gpulab::run {

// Runs the variant once more, with every access to memory counted, and adds to the result's counts what came
// of it: "global_load_sectors", "shared_store_wavefronts", ... They are exact, and the same on every machine.
// What was computed is judged as after the first run. Throws what running the variant throws.
void count_run(const RunContext& context, const Variant& variant, unsigned block_size, VariantResult& result);

}  // namespace gpulab::run
