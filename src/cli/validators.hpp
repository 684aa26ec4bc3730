#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gpulab {

// Checks for the values of options. CLI11's own say less, take NaN for a number that is not negative, and
// turn -1 into the largest number there is. These add nothing to the help.

CLI::Validator one_of(const std::vector<std::string>& choices);
CLI::Validator a_whole_number();
CLI::Validator a_number();
CLI::Validator a_number_from_zero();
CLI::Validator a_number_above_zero();

}  // namespace gpulab
