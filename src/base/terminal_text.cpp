#include "base/terminal_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.hpp"

namespace gpulab {
namespace {

constexpr char escape = '\033';

bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
}

// Returns the length of the harmless escape sequence at the beginning of the text: 0 if there is none, npos
// if the text ends too early to tell.
std::size_t length_of_harmless_sequence(std::string_view text) {
  constexpr std::string_view colours_and_moves = "mABCDEFGHJKfsu";
  constexpr std::size_t max_length = 40;
  constexpr auto unknown = std::string_view::npos;
  if (text.size() < 2) return unknown;
  if (text[1] != '[') return 0;
  std::size_t end = 2;
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == ';'))
    ++end;
  if (end > max_length) return 0;
  if (end == text.size()) return unknown;
  return colours_and_moves.find(text[end]) != std::string_view::npos ? end + 1 : 0;
}

// Returns how many bytes at the end are the beginning of an incomplete UTF-8 character.
std::size_t bytes_of_incomplete_character(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(text.size(), 3); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (byte >= 0xc0) return back < length ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

}  // namespace

std::string TerminalText::shown(std::string_view piece) {
  const std::string all = std::exchange(waiting_, "") + std::string(piece);
  std::string shown;
  for (std::string_view remaining = all; !remaining.empty();) {
    if (remaining.front() == escape) {
      const std::size_t length = length_of_harmless_sequence(remaining);
      if (length == std::string_view::npos) {
        waiting_ = remaining;
        break;
      }
      shown += length > 0 ? remaining.substr(0, length) : std::string_view("?");
      remaining.remove_prefix(std::max<std::size_t>(length, 1));
    } else if (is_control(remaining.front())) {
      const bool is_harmless =
          std::string_view("\a\b\t\n\r").find(remaining.front()) != std::string_view::npos;
      shown += is_harmless ? remaining.front() : '?';
      remaining.remove_prefix(1);
    } else {
      const auto end = std::ranges::find_if(remaining, is_control);
      std::string_view text = remaining.substr(0, static_cast<std::size_t>(end - remaining.begin()));
      if (text.size() == remaining.size()) {
        waiting_ = text.substr(text.size() - bytes_of_incomplete_character(text));
        text.remove_suffix(waiting_.size());
      }
      shown += printable(text);
      remaining.remove_prefix(text.size() + (end == remaining.end() ? waiting_.size() : 0));
    }
  }
  return shown;
}

std::string TerminalText::rest() {
  return printable(std::exchange(waiting_, ""));
}

}  // namespace gpulab
