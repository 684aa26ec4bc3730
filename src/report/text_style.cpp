#include "report/text_style.hpp"

namespace gpulab {
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

}  // namespace gpulab
