#include "source/cuda_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gpulab::source {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c));
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

// Returns the length through the closing text, or of the whole rest.
std::size_t length_through(std::string_view rest, std::string_view closing, std::size_t from) {
  const std::size_t found = rest.find(closing, from);
  return found == std::string_view::npos ? rest.size() : found + closing.size();
}

// Returns the length up to the end of the line; a backslash there continues it.
std::size_t line_length(std::string_view rest) {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != '\n')
    end += std::max<std::size_t>(splice_length(rest.substr(end)), 1);
  return std::min(end, rest.size());
}

std::size_t quoted_length(std::string_view rest) {
  for (std::size_t position = 1; position < rest.size(); ++position) {
    if (rest[position] == '\\')
      position += std::max<std::size_t>(splice_length(rest.substr(position)), 2) - 1;
    else if (rest[position] == rest[0])
      return position + 1;
    else if (rest[position] == '\n')
      return position;
  }
  return rest.size();
}

// Returns the length of a directive, with all lines of a comment that begins in it.
std::size_t directive_length(std::string_view rest) {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != '\n') {
    const std::string_view remaining = rest.substr(end);
    if (remaining.starts_with("//")) return end + line_length(remaining);
    if (remaining.starts_with("/*"))
      end += length_through(remaining, "*/", 2);
    else if (remaining.front() == '"' || remaining.front() == '\'')
      end += quoted_length(remaining);
    else
      end += std::max<std::size_t>(splice_length(remaining), 1);
  }
  return std::min(end, rest.size());
}

// Returns the length of R"delimiter(any characters)delimiter"; 0 for anything else.
std::size_t raw_string_length(std::string_view rest) {
  constexpr std::size_t max_delimiter = 16;
  for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""}) {
    if (!rest.starts_with(prefix)) continue;
    const std::size_t open = rest.find_first_of("( )\\\t\v\f\n\"", prefix.size());
    if (open == std::string_view::npos || rest[open] != '(' || open - prefix.size() > max_delimiter) return 0;
    const std::string closing = ")" + std::string(rest.substr(prefix.size(), open - prefix.size())) + "\"";
    return length_through(rest, closing, open);
  }
  return 0;
}

// Returns the length of digits, digit separators, suffixes and an exponent's sign: 1'000u, 0x1Fp-3, 2.5e-3f.
std::size_t number_length(std::string_view rest) {
  const bool is_hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  const auto is_exponent = [&](char c) {
    return is_hexadecimal ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
  };
  std::size_t position = 1;
  while (position < rest.size()) {
    const char c = rest[position];
    const bool is_sign = (c == '+' || c == '-') && is_exponent(rest[position - 1]);
    const bool is_separator =
        c == '\'' && position + 1 < rest.size() && is_word_character(rest[position + 1]);
    if (!is_word_character(c) && c != '.' && !is_separator && !is_sign) break;
    ++position;
  }
  return position;
}

Token first_token(std::string_view rest, bool at_line_start) {
  const auto token = [&](TokenKind kind, std::size_t length) { return Token{kind, rest.substr(0, length)}; };
  const char c = rest.front();
  if (is_space(c)) return token(TokenKind::space, Scanner(rest).take_while(is_space).size());
  if (rest.starts_with("//")) return token(TokenKind::comment, line_length(rest));
  if (rest.starts_with("/*")) return token(TokenKind::comment, length_through(rest, "*/", 2));
  if (c == '#' && at_line_start) return token(TokenKind::directive, directive_length(rest));
  if (c == '"' || c == '\'') return token(TokenKind::string, quoted_length(rest));
  if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1])))
    return token(TokenKind::number, number_length(rest));
  if (const std::size_t length = raw_string_length(rest)) return token(TokenKind::string, length);
  if (is_word_character(c)) return token(TokenKind::word, Scanner(rest).take_word().size());
  return token(TokenKind::symbol, 1);
}

}  // namespace

std::vector<Token> cuda_tokens(std::string_view source, bool begins_line) {
  std::vector<Token> tokens;
  bool at_line_start = begins_line;
  while (!source.empty()) {
    const Token token = first_token(source, at_line_start);
    if (token.kind == TokenKind::space && token.text.find('\n') != std::string_view::npos)
      at_line_start = true;
    if (token.kind != TokenKind::space && token.kind != TokenKind::comment) at_line_start = false;
    tokens.push_back(token);
    source.remove_prefix(token.text.size());
  }
  return tokens;
}

std::size_t splice_length(std::string_view text) {
  if (!text.starts_with('\\')) return 0;
  const std::size_t end = text.find_first_not_of(" \t\v\f\r", 1);
  return end != std::string_view::npos && text[end] == '\n' ? end + 1 : 0;
}

std::string with_lines_joined(std::string_view source) {
  std::string joined;
  std::size_t removed_line_ends = 0;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t length = splice_length(source.substr(at));
    if (length == 0 && source[at] == '\n') joined.append(std::exchange(removed_line_ends, 0), '\n');
    if (length == 0) joined += source[at];
    if (length > 0) ++removed_line_ends;
    at += std::max<std::size_t>(length, 1);
  }
  return joined;
}

std::string_view directive_name(std::string_view directive) {
  Scanner scanner(directive);
  scanner.take("#");
  for (std::size_t size_before = 0; size_before != scanner.rest().size();) {
    size_before = scanner.rest().size();
    scanner.skip_blanks();
    if (scanner.rest().starts_with("/*")) scanner.skip_past("*/");
    if (const std::size_t length = splice_length(scanner.rest()))
      scanner.take(scanner.rest().substr(0, length));
  }
  return scanner.take_word();
}

namespace {

// Returns what follows the name of a directive, if it has that name.
std::optional<std::string_view> rest_of(std::string_view directive, std::string_view name) {
  if (directive_name(directive) != name) return std::nullopt;
  Scanner scanner(directive);
  scanner.skip_past(name);
  scanner.skip_blanks();
  return scanner.rest();
}

}  // namespace

std::optional<std::string_view> pragma_in(std::string_view directive) {
  return rest_of(directive, "pragma");
}

std::optional<MacroDefinition> macro_in(std::string_view directive) {
  const auto definition = rest_of(directive, "define");
  if (!definition) return std::nullopt;
  Scanner scanner(*definition);
  const std::string_view name = scanner.take_word();
  return MacroDefinition{name, scanner.rest()};
}

std::optional<IncludeDirective> include_in(std::string_view directive) {
  Scanner scanner(directive);
  scanner.take("#");
  scanner.skip_blanks();
  if (scanner.take_word() != "include") return std::nullopt;
  scanner.skip_blanks();
  const bool is_quoted = scanner.rest().starts_with('"');
  if (!scanner.take_one_of("<\"")) return std::nullopt;
  const std::string_view name = scanner.up_to_one_of(">\"\n");
  if (name.empty() || !scanner.take_one_of(">\"")) return std::nullopt;
  return IncludeDirective{name, is_quoted};
}

bool is_word_character(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) || character == '_';
}

}  // namespace gpulab::source
