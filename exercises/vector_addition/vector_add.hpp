#pragma once

#include "lesson/lesson.hpp"

// Problem C = A + B in float32, which several lessons compute in different ways.

namespace gpulab::lessons::vector_addition {

const Input<float> A{"A"}, B{"B"};
const Output<float> C{"C"};
const Scalar<int> size{"size"};

Problem vector_add(const Settings& settings);

// Sizes at which a check runs the last blocks alone. Four times an index is more than an int holds at the
// first size, and more than an unsigned int at the second.
inline const FarSizes far_sizes{.sizes = {(std::size_t{1} << 30) - 2081, largest_int_index - 33}};

}  // namespace gpulab::lessons::vector_addition
