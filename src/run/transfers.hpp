#pragma once

#include "core/result.hpp"
#include "device/device.hpp"
#include "run/device_arrays.hpp"
#include "run/prepared_problem.hpp"

namespace gpulab::run {

// Times the copies of all inputs to the device and of all outputs back, from and to page-locked memory.
TransferResult time_transfers(device::Device& device, device::Stream& stream, DeviceArrays& arrays,
                              PreparedProblem& prepared, double time_budget_s);

}  // namespace gpulab::run
