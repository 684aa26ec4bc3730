#pragma once

#include "test.hpp"

namespace gpulab::source {

// A kernel file in which comments, strings, macros and names look like other code.
inline const std::string some_kernel_file = gpulab::source_text("tests/source/some_kernel_file.cu");

}  // namespace gpulab::source
