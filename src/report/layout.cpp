#include "report/layout.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace gpulab::report {
namespace {

std::string_view escape_of(Ink ink) {
  switch (ink) {
    case Ink::plain:
      return "";
    case Ink::bold:
      return "\x1b[1m";
    case Ink::faint:
      return "\x1b[2m";
    case Ink::red:
      return "\x1b[1;31m";
    case Ink::green:
      return "\x1b[32m";
    case Ink::yellow:
      return "\x1b[33m";
    case Ink::blue:
      return "\x1b[34m";
    case Ink::magenta:
      return "\x1b[35m";
    case Ink::cyan:
      return "\x1b[36m";
  }
  return "";
}

}  // namespace

std::string painted(std::string_view text, Ink ink, const TextStyle& style) {
  const std::string_view escape = escape_of(ink);
  if (!style.colour || escape.empty() || text.empty()) return std::string(text);
  std::string result(escape);
  result += text;
  return result += "\x1b[0m";
}

namespace {

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

bool is_decimal_digit(char byte) {
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
  return !(is_decimal_digit(text[position - 1]) && is_decimal_digit(text[position + 1]));
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

std::string without_controls(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  return printable(text);
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

std::string paragraph(const std::string& text, Ink ink, const TextStyle& style) {
  std::string result;
  for (const std::string& line : wrapped(text, style.width, 2)) result += painted(line, ink, style) + "\n";
  return result;
}

std::string labelled(const std::string& label, Ink ink, const std::string& text, const TextStyle& style) {
  std::string result = paragraph(label + ": " + text, Ink::plain, style);
  if (result.starts_with(label)) result.replace(0, label.size(), painted(label, ink, style));
  return result;
}

}  // namespace gpulab::report
