#include "report/text_layout.hpp"

#include <algorithm>

namespace gpulab {
namespace {

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

// Bytes of the beginning that take at most that many columns.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes)
    if (starts_code_point(text[bytes]) && columns-- == 0) break;
  return bytes;
}

bool may_break_at(std::string_view text, std::size_t position) {
  if (text[position] != ' ') return false;
  if (position == 0 || position + 1 == text.size()) return true;
  return !(is_digit(text[position - 1]) && is_digit(text[position + 1]));
}

// Where the first line ends: at the last break that leaves it within the columns, or in the middle of a word.
std::size_t first_line(std::string_view text, std::size_t columns) {
  const std::size_t most = bytes_within(text, columns);
  if (most == text.size()) return most;
  for (std::size_t position = most; position > 0; --position)
    if (may_break_at(text, position) && text.find_first_not_of(' ') < position) return position;
  return std::max<std::size_t>(most, 1);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  return std::string(text.substr(0, bytes_within(text, width - 1))) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view paragraph = text.substr(0, text.find('\n'));
    std::string_view rest = paragraph;
    do {
      const std::size_t margin = lines.empty() || rest.empty() ? 0 : indent;
      const std::size_t end = first_line(rest, width > margin ? width - margin : 1);
      lines.push_back(std::string(margin, ' ') + std::string(rest.substr(0, end)));
      rest.remove_prefix(end);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    } while (!rest.empty());
    text.remove_prefix(std::min(paragraph.size() + 1, text.size()));
  }
  return lines;
}

}  // namespace gpulab
