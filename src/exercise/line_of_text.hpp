#pragma once

#include <string>

namespace gpulab {

// A line, which is counted from 1, without its indentation; empty when there is none of that number.
std::string line_of(const std::string& text, int number);

}  // namespace gpulab
