#include "core/flowing_text.hpp"

#include <sstream>

namespace gpulab {

std::string flowing_text(std::string_view file) {
  std::string text;
  std::istringstream lines{std::string(file)};
  bool goes_on = false;  // the line before it is of the same paragraph
  for (std::string line; std::getline(lines, line);) {
    const bool is_prose = !line.empty() && line.front() != ' ';
    if (!text.empty()) text += is_prose && goes_on ? ' ' : '\n';
    text += line;
    goes_on = is_prose;
  }
  return text;
}

}  // namespace gpulab
