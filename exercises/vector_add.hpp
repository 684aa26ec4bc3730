#pragma once

#include "core/lesson.hpp"

namespace gpulab {

// C = A + B in float32, which several lessons compute in different ways.
Problem vector_add(const Settings& settings);

}  // namespace gpulab
