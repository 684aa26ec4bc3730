#pragma once

#include <span>

namespace gpulab::lessons::normalize {

// The sum of the squares, in double, which holds the square of every float32 exactly. On all threads, and
// each in many partial sums, so that an error grows with the length of a part only.
double sum_of_squares(std::span<const float> x);

// 1 / |x|, or 0 for the zero vector.
double scale_of(double sum_of_squares);

// y = x / |x|, on one thread.
void normalize(std::span<const float> x, std::span<float> y);

// The same on all threads: a pass that adds up, and one that scales.
void normalize_openmp(std::span<const float> x, std::span<float> y);

}  // namespace gpulab::lessons::normalize
