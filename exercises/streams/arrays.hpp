#pragma once

#include "lesson/problem.hpp"

namespace gpulab::lessons::streams {

constexpr int histogram_bins = 256;

const Input<int> input{"input"};
const Input<float> A{"A"};
const Output<float> C{"C"};
const Output<int> is_prime{"is_prime"};
const Output<int> prime_count{"prime_count", Before::cleared}, counts{"counts", Before::cleared};
const Scalar<int> upper{"upper"}, size{"size"};

// What the lesson on streams computes: primes, a histogram and twice a vector, which have nothing to do with
// each other, and the number of primes, which needs the primes.
Problem independent_tasks(const Settings& settings);

}  // namespace gpulab::lessons::streams
