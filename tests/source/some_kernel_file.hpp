#pragma once

#include <string>

#include "source_files.hpp"

namespace gpulab::source {

// A kernel file with everything that could be taken for something else.
inline const std::string some_kernel_file = gpulab::source_text("tests/source/some_kernel_file.cu");

}  // namespace gpulab::source
