#pragma once

#include <cstddef>

// What a launch is configured by, as the program has it.
struct dim3 {
  unsigned x, y, z;
};

#pragma GCC visibility push(default)
#include "program/headers/runtime_api.cuh"  // NOLINT: the program's own declarations
#include "program/headers/texture_api.cuh"  // NOLINT
#pragma GCC visibility pop
