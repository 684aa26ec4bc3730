#include "report/source_lines.hpp"

namespace gpulab {

std::vector<std::string> source_lines(const std::string& text) {
  std::vector<std::string> lines;
  bool is_new = true;
  for (const char letter : text) {
    if (is_new) lines.emplace_back();
    is_new = letter == '\n';
    if (letter == '\t')
      lines.back() += "  ";
    else if (static_cast<unsigned char>(letter) >= ' ' && letter != '\x7f')
      lines.back() += letter;
  }
  return lines;
}

std::string source_line(const std::vector<std::string>& lines, int number) {
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  return lines[static_cast<std::size_t>(number) - 1];
}

}  // namespace gpulab
