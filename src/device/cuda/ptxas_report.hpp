#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"

namespace gpulab {

// What ptxas -v says a kernel needs: registers, local memory, spills and static shared memory; with the
// spills of the functions that it calls and that were not inlined. None when the report is not about that
// symbol.
std::optional<KernelAttributes> reported_attributes(const std::string& report, const std::string& symbol);

}  // namespace gpulab
