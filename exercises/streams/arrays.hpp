#pragma once

#include "core/problem.hpp"
#include "core/settings.hpp"

namespace gpulab {

// What the lesson on streams computes: primes, a histogram and twice a vector, which have nothing to do with
// each other, and the number of primes, which needs the primes.
Problem independent_tasks(const Settings& settings);

constexpr int histogram_bins = 256;

}  // namespace gpulab
