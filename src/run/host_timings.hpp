#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "device/device.hpp"
#include "run/device_arrays.hpp"
#include "run/problem_cache.hpp"

namespace gpulab::run {

// Times the plain loop on one thread and the OpenMP reference on all, and checks the second against the
// first. Without a plain loop the second alone: it made what is expected.
std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s);

// Times a library's call on the host with these arguments, which is checked first and last, and is named by
// its library and version. None where the library is missing.
std::optional<ReferenceResult> time_host_library(const std::string& call, const Arguments& arguments,
                                                 const PreparedProblem& prepared, const Tolerance& tolerance,
                                                 double time_budget_s);

// Times the copies of all inputs to the device and of all outputs back, from and to page-locked memory.
TransferResult time_transfers(device::Device& device, device::Stream& stream, DeviceArrays& arrays,
                              PreparedProblem& prepared, double time_budget_s);

}  // namespace gpulab::run
