#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lesson/exercise.hpp"

// Dimensions of a launch, as the program passes them.
struct dim3 {
  unsigned x, y, z;
};

#pragma GCC visibility push(default)
#include "program/headers/runtime_api.cuh"  // NOLINT: the program's own declarations
#include "program/headers/texture_api.cuh"  // NOLINT
#pragma GCC visibility pop

namespace gpulab::program::runtime {

// Returns the runtime API's error for one of the driver API: "CUDA_ERROR_ILLEGAL_ADDRESS".
cudaError_t cuda_error_of(std::string_view driver_name);

inline std::uintptr_t address_of(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// A call of the runtime by the program: its return address, or 0 if it is unknown, and those of its callers.
struct Site {
  std::uintptr_t pc = 0;
  std::array<std::uintptr_t, 6> callers = {};

  friend auto operator<=>(const Site&, const Site&) = default;
};

// A call of the program that returned the thread's last error.
struct ErrorQuery {
  const char* call = "";
  Site site;

  friend bool operator==(const ErrorQuery&, const ErrorQuery&) = default;
};

// Returns the site's line and those of its callers, from the process that can read the debug information.
SourcePlace place_of(const Site& site);

// Returns the site of an instruction or, if it is not the program's own, of the innermost function of the
// program on this thread's stack.
Site site_in_program(std::uintptr_t instruction);

// Returns the site of a call that returns to that address, with its callers.
Site site_of_call(const void* returns_to);

// Returns whether the function with that return address, or one of its callers, is Thrust's.
bool is_called_by_thrust(std::uintptr_t pc);

}  // namespace gpulab::program::runtime
