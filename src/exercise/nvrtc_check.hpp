#pragma once

#include "core/check_result.hpp"
#include "device/device.hpp"

namespace gpulab {

// Has NVRTC, where there is one, compile a learner's file for this machine's GPU or, without one, for the
// oldest that has all that the simulator has. Fills in what NVRTC refuses, and nothing otherwise.
void check_by_nvrtc(const KernelSource& source, CheckResult& result);

}  // namespace gpulab
