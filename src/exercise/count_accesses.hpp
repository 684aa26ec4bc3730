#pragma once

#include "core/question.hpp"
#include "device/device.hpp"

namespace gpulab {

// Launches a kernel on the simulator, with arrays of zeroes, and adds to the facts what its warps asked of
// memory. The module must have been compiled to be counted. Throws CompileError, DeviceError.
void count_accesses(const CountedKernel& counted, Module& module, Device& simulator, Facts& facts);

}  // namespace gpulab
