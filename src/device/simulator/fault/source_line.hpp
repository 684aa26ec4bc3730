#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpulab {

// "histogram.cu:21": the line that an instruction of a kernel was compiled from, by addr2line of the
// compiler's own package. Empty when it cannot be told.
std::string source_line(std::uintptr_t instruction);

// Of each of these instructions, which are all of the same kernel file.
std::vector<std::string> source_lines(std::span<const std::uintptr_t> instructions);

// 21 of "histogram.cu:21"; 0 when there is none.
int line_number(const std::string& source_line);

}  // namespace gpulab
