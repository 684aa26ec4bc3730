#pragma once

#include <string>

#include "report/text_style.hpp"

namespace gpulab {

// CUDA C++ as it is, with colours where the style has them. Lines are not wrapped: it stays a source.
std::string source_text(const std::string& source, const TextStyle& style);

}  // namespace gpulab
