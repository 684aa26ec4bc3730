#include "report/markdown_text.hpp"

#include <string_view>

namespace gpulab::report {

std::string markdown_cell(const std::string& text) {
  constexpr std::string_view of_markdown = "|\\`*_[]#~";
  std::string cell;
  for (const char letter : text) {
    if (letter == '<')
      cell += "&lt;";
    else if (letter == '&')
      cell += "&amp;";
    else if (static_cast<unsigned char>(letter) < ' ')
      cell += ' ';
    else
      cell +=
          of_markdown.find(letter) == of_markdown.npos ? std::string(1, letter) : std::string{'\\', letter};
  }
  return cell;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

}  // namespace gpulab::report
