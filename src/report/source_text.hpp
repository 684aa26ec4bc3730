#pragma once

#include <string>

#include "report/text_style.hpp"

namespace gpulab {

// CUDA C++ as it is, with colours where the style has them. Lines are not wrapped: it stays a source.
std::string source_text(const std::string& source, const TextStyle& style);

// The definition of one kernel, with the comment that stands right above it and without the rest of the file.
// Empty when the file defines no __global__ function of that name.
std::string function_source(const std::string& file_text, const std::string& kernel);

}  // namespace gpulab
