#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"

namespace gpulab::device {

// Returns what ptxas -v reports that a kernel needs: registers, local memory, spills and static shared
// memory, with the spills of called functions that were not inlined. None if the report is not about that
// symbol.
std::optional<KernelAttributes> reported_attributes(const std::string& report, const std::string& symbol);

}  // namespace gpulab::device
