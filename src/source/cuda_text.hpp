#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"

namespace gpulab::source {

// The text of kernel files, as far as it can be understood without a compiler.

enum class TokenKind { space, comment, directive, string, number, word, symbol };

struct Token {
  TokenKind kind;
  std::string_view text;  // a part of the source
};

// Splits CUDA C++ into tokens; joined, they are the source again. Nothing is refused: an unclosed comment,
// for example, extends to the end of the source. If the source does not begin a line, a # at its start begins
// no directive.
std::vector<Token> cuda_tokens(std::string_view source, bool begins_line = true);

// Returns the length of a backslash that joins two lines and of the line's end after it; 0 for anything else.
// Compilers accept blanks between the two.
std::size_t splice_length(std::string_view text);

// Returns the source without such backslashes. Adds empty lines after the joined ones, so that all other
// lines keep their numbers.
std::string with_lines_joined(std::string_view source);

// Returns "define" for "# define N 4", also with a comment in between; empty for "# 12".
std::string_view directive_name(std::string_view directive);

// Returns the words of a #pragma: "unroll 4".
std::optional<std::string_view> pragma_in(std::string_view directive);

// The name and the rest of a #define: "N" and " 4", or "ADD" and "(a, b) a + b".
struct MacroDefinition {
  std::string_view name, rest;  // parts of the directive's text
};
std::optional<MacroDefinition> macro_in(std::string_view directive);

// The name between <> or "" of an #include.
struct IncludeDirective {
  std::string_view name;  // a part of the directive's text
  bool is_quoted = false;
};
std::optional<IncludeDirective> include_in(std::string_view directive);

// Returns whether the character can be part of a name or a number.
bool is_word_character(char character);

// A scanner that takes pieces from the beginning of a text and leaves what does not fit. Unlike std::regex,
// it does not recurse, so a long text cannot overflow the stack.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool is_at_end() const { return rest_.empty(); }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool take_one_of(std::string_view letters) {
    const bool fits = !rest_.empty() && letters.find(rest_.front()) != std::string_view::npos;
    if (fits) rest_.remove_prefix(1);
    return fits;
  }
  template <class Predicate>
  std::string_view take_while(Predicate predicate) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), predicate);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view take_digits() {
    return take_while([](char c) { return c >= '0' && c <= '9'; });
  }
  std::string_view take_word() { return take_while(is_word_character); }
  void skip_blanks() {
    take_while(
        [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; });
  }
  // Takes a number; takes nothing if there are no digits, or more than fit an int.
  std::optional<int> take_number() {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  // Takes all before one of the letters, or the whole rest if there is none.
  std::string_view up_to_one_of(std::string_view letters) {
    return take_while([&](char c) { return letters.find(c) == std::string_view::npos; });
  }
  // Skips everything through this text; returns false and skips nothing if it does not occur.
  bool skip_past(std::string_view text) {
    const std::size_t at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace gpulab::source
