#pragma once

#include <string_view>
#include <vector>

namespace gpulab::validate {

// Whether the bytes have all these numbers, each as often, in any order: all as float, int, double or 64-bit
// integers.
bool holds(std::string_view bytes, const std::vector<double>& numbers);

}  // namespace gpulab::validate
