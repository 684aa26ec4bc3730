#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace gpulab {

// What limits the use of a timing, each in one sentence with advice. Nothing is dropped because of it.
std::vector<std::string> timing_warnings(const Timing& timing);

}  // namespace gpulab
