#pragma once

#include <string>
#include <vector>

#include "base/table.hpp"
#include "source/code.hpp"

namespace gpulab::source {

// The lines of a source, without their ends, as a terminal shows them: a tab is two spaces, and there are no
// other control characters.
std::vector<std::string> source_lines(const std::string& text);

// One of them, counted from 1 on. Empty when there is no such line.
std::string source_line(const std::vector<std::string>& lines, int number);

// Parts of a kernel file, as text.

// The definition of one kernel, with the comment that stands right above it and without the rest of the file.
// Empty when the file defines no __global__ function of that name.
std::string function_source(const Code& code, const std::string& kernel);

// Where a function or a variable of a file stands, with the comment right above it.
struct PartLines {
  std::string name;
  bool is_kernel = false;
  int first = 0, last = 0;  // lines of the file, from 1 on
};

// Everything at the outermost level of a file, in its order.
std::vector<PartLines> lines_of_parts(const Code& code);

// The __global__ functions that the file defines, in its order.
std::vector<std::string> kernel_names(const Code& code);

// Kernels with the other functions and the variables of the file that they use, so that it can be compiled.
std::string source_with_what_it_uses(const Code& code, const std::vector<std::string>& kernels);

// Where these stand in the file, in its order.
std::vector<PartLines> lines_of_what_it_uses(const Code& code, const std::vector<std::string>& kernels);

// A line of a source in rows of at most that width, those after the first further in than its code. None for
// an empty line.
std::vector<std::string> wrapped_source_line(const std::string& line, std::size_t width);

// CUDA C++ as it is, with colours where the style has them. Lines are not wrapped: it stays a source.
std::string source_text(const std::string& source, const TextStyle& style);

}  // namespace gpulab::source
