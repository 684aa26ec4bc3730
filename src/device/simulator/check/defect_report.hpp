#pragma once

#include <vector>

#include "core/defect.hpp"
#include "core/launch.hpp"
#include "device/simulator/check/found_defect.hpp"

namespace gpulab {

// What workers found in a launch of that shape, with lines and places. The kernel's module must still be
// loaded.
std::vector<Defect> reported(const std::vector<FoundDefect>& found, const LaunchConfig& config);

// Adds it to those of its kind and lines, if there are any.
void add_defect(std::vector<Defect>& defects, const Defect& defect);

}  // namespace gpulab
