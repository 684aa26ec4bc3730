#pragma once

#include <span>

namespace gpulab::lessons::normalize {

// Returns the sum of the squares in double, which holds the square of every float32 exactly. Runs on all
// threads, each with many partial sums, so that the error grows only with the length of a part.
double sum_of_squares(std::span<const float> x);

// Returns 1 / |x|, or 0 for the zero vector.
double scale_of(double sum_of_squares);

// Computes y = x / |x| on one thread.
void normalize(std::span<const float> x, std::span<float> y);

// Computes the same on all threads, in a pass that adds up and one that scales.
void normalize_openmp(std::span<const float> x, std::span<float> y);

}  // namespace gpulab::lessons::normalize
