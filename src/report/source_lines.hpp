#pragma once

#include <string>
#include <vector>

namespace gpulab {

// The lines of a source, without their ends, as a terminal shows them: a tab is two spaces, and there are no
// other control characters.
std::vector<std::string> source_lines(const std::string& text);

// One of them, counted from 1 on. Empty when there is no such line.
std::string source_line(const std::vector<std::string>& lines, int number);

}  // namespace gpulab
