#pragma once

#include <cstdint>
#include <string>

namespace gpulab {

// "histogram.cu:21": the line that an instruction of a kernel was compiled from, by addr2line of the
// compiler's own package. Empty when it cannot be told.
std::string source_line(std::uintptr_t instruction);

}  // namespace gpulab
