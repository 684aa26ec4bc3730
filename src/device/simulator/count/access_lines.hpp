#pragma once

#include <vector>

#include "core/access_counts.hpp"
#include "device/simulator/count/access_site.hpp"

namespace gpulab {

// Adds up the sites, which may stand there several times, by the line of the kernel file that they were
// compiled from. The kernel's module must still be loaded.
AccessCounts accesses_by_line(const std::vector<AccessSite>& sites);

}  // namespace gpulab
