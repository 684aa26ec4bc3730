#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lesson/exercise.hpp"

// What a launch is configured by, as the program has it.
struct dim3 {
  unsigned x, y, z;
};

#pragma GCC visibility push(default)
#include "program/headers/runtime_api.cuh"  // NOLINT: the program's own declarations
#include "program/headers/texture_api.cuh"  // NOLINT
#pragma GCC visibility pop

namespace gpulab::program::runtime {

// What the runtime API calls an error of the driver API, "CUDA_ERROR_ILLEGAL_ADDRESS".
cudaError_t cuda_error_of(std::string_view driver_name);

// Where the program called the runtime: the address that the call returns to; 0 where nobody knows.
struct Site {
  std::uintptr_t code = 0;
};

// Its line. Asks whoever can read the program's lines.
SourcePlace place_of(Site site);

// Where an instruction is, or who called it, if it is not the program's own: the first of the program's
// functions on this thread's stack.
Site site_in_program(std::uintptr_t instruction);

}  // namespace gpulab::program::runtime
