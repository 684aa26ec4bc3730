#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/lesson.hpp"
#include "core/result.hpp"

namespace gpulab::measure {

// What limits the use of a kernel's time on a GPU, each in one sentence with advice. Nothing is dropped
// because of it.
std::vector<std::string> timing_warnings(const Timing& timing);

// One sentence where the traffic in that time is more than the theoretical peak of the memory allows; none
// where the device does not tell its peak (0).
std::optional<std::string> peak_warning(const Timing& timing, const Traffic& traffic,
                                        double peak_bytes_per_s);

}  // namespace gpulab::measure
