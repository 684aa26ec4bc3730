#pragma once

#include "lesson/lesson.hpp"

// Returns the problem C = A + B in float32, which several lessons compute in different ways.

namespace gpulab::lessons::vector_addition {

const Input<float> A{"A"}, B{"B"};
const Output<float> C{"C"};
const Scalar<int> size{"size"};

Problem vector_add(const Settings& settings);

}  // namespace gpulab::lessons::vector_addition
