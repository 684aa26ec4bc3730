#pragma once

#include "device/instruments.hpp"
#include "suites/manifest.hpp"
#include "suites/observation.hpp"

namespace gpulab::suites {

// Compiles the case's file and launches its kernel once on the simulator, in this process. A kernel that
// crashes or hangs ends or blocks the process.
Observation try_once(const Case& test_case, const device::ThreadOrder& order);

std::string_view name_of(device::ThreadOrder::Kind kind);

}  // namespace gpulab::suites
