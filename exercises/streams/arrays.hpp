#pragma once

#include "lesson/problem.hpp"

namespace gpulab::lessons::streams {

constexpr int histogram_bins = 256;

const Input<int> input{"input"};
const Input<float> A{"A"};
const Output<float> C{"C"};
const Output<int> is_prime{"is_prime"};
const Output<int> prime_count{"prime_count", InitialContents::cleared},
    counts{"counts", InitialContents::cleared};
const Scalar<int> upper{"upper"}, size{"size"};

// Returns the problem: primes, a histogram and a doubled vector, which are independent, and the number of
// primes, which needs the primes.
Problem independent_tasks(const Settings& settings);

}  // namespace gpulab::lessons::streams
