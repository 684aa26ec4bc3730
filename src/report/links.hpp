#pragma once

#include <string>
#include <vector>

#include "core/device_properties.hpp"
#include "core/result.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// How each GPU reaches each other one: a sentence where it is the same for all, else a matrix, and one for
// each figure that was measured. Empty without links.
std::string links_text(const std::vector<DeviceLink>& links, const AllReduceTimes& all_reduce,
                       const TextStyle& style);

}  // namespace gpulab::report
