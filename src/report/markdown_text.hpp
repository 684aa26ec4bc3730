#pragma once

#include <string>
#include <vector>

namespace gpulab::report {

// A text for a cell of a table: in one line, and with nothing that Markdown or HTML would take for itself.
std::string markdown_cell(const std::string& text);

// "| a | b |", and a line break.
std::string markdown_row(const std::vector<std::string>& cells);

}  // namespace gpulab::report
