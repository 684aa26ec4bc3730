#pragma once

#include <cstdint>
#include <string>

namespace gpulab {

// Digits in groups of three, from 1 000 on: 999, 1 000, 33 554 432. It is for counts; indices and launch
// sizes are written as in code, without spaces.
std::string grouped(std::uint64_t number);

// With the given number of digits behind the point: 12.5. Not for infinities or NaN.
std::string with_decimals(double number, int decimals);

}  // namespace gpulab
