#pragma once

#include <cstddef>
#include <string>

namespace gpulab::report {

// A bar of block characters, in eighths of a column: so much of the columns as the fraction says, from 0 to
// 1, but never nothing.
std::string bar_text(double fraction, std::size_t columns);

}  // namespace gpulab::report
