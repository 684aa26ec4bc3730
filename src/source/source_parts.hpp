#pragma once

#include <string>
#include <vector>

#include "base/table.hpp"
#include "source/statements.hpp"

namespace gpulab::source {

// Returns the lines of a source as a terminal shows them: without line ends and control characters; a tab is
// two spaces.
std::vector<std::string> source_lines(const std::string& text);

// Returns the line with this number, counted from 1; empty if there is none.
std::string source_line(const std::vector<std::string>& lines, int number);
bool is_comment_or_empty(const std::string& line);

// Parts of a kernel file, as text.

// Returns the definition of one kernel, with the comment right above it. Empty if the file defines no
// __global__ function of that name.
std::string function_source(const Code& code, const std::string& kernel);

// Lines of a function or a variable of a file, with the comment right above it.
struct PartLines : LineRange {
  std::string name = {};
  bool is_kernel = false;
};

// Returns the functions and variables at the outermost level of a file, in its order.
std::vector<PartLines> lines_of_parts(const Code& code);

// Returns the line with the __global__ of a kernel; 1 if there is no such kernel.
int line_of_kernel(const Code& code, const std::string& kernel);

// Return the part, or the kernel, around a line; one without lines if there is none.
PartLines part_around(const Code& code, int line);
PartLines kernel_around(const Code& code, int line);

// Returns the __global__ functions that the file defines, in its order.
std::vector<std::string> kernel_names(const Code& code);

// Returns kernels with the functions and variables that they use from the file, so that the text compiles.
std::string source_with_used_parts(const Code& code, const std::vector<std::string>& kernels);

// Returns the comment that a file begins with, up to its first empty line; empty if it begins with code.
std::string introduction_of(const std::string& text);

// Returns where these kernels and the parts that they use are, in the order of the file.
std::vector<PartLines> lines_of_used_parts(const Code& code, const std::vector<std::string>& kernels);

// Returns the rows of a line wrapped to that width, none for an empty line. Rows after the first are indented
// further, or continue the comment. A comment behind code is moved above the code.
std::vector<std::string> wrapped_source_line(const std::string& line, std::size_t width);

// Joins the lines of each comment of which one is longer than the width, to be wrapped anew.
std::vector<std::string> with_joined_comments(const std::vector<std::string>& lines, std::size_t width);

// Returns CUDA C++ in the colours of the style, wrapped to its width.
std::string source_text(const std::string& source, const TextStyle& style);

}  // namespace gpulab::source
