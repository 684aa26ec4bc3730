#pragma once

#include <cstdint>

#include "device/simulator/count/memory_access.hpp"

namespace gpulab {

// The machine code of the shared object that a kernel was compiled into. What lies outside is the C library's
// or the simulator's.
struct KernelCode {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t instruction) const { return begin <= instruction && instruction < end; }
};

// Empty when the function is in no loaded object.
KernelCode code_around(const void* function);

// All that the shared object takes in memory, its tables and variables included.
AddressRange image_around(const void* function);

}  // namespace gpulab
