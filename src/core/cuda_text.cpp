#include "core/cuda_text.hpp"

#include <algorithm>
#include <cctype>

namespace gpulab {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c));
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

template <class Predicate>
std::size_t length_while(std::string_view rest, Predicate predicate) {
  return static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), predicate) - rest.begin());
}

// Up to and with the closing text, or all of the rest.
std::size_t length_through(std::string_view rest, std::string_view closing, std::size_t from) {
  const std::size_t found = rest.find(closing, from);
  return found == std::string_view::npos ? rest.size() : found + closing.size();
}

// Up to the end of the line; a backslash there goes on to the next.
std::size_t line_length(std::string_view rest) {
  std::size_t end = rest.find('\n');
  while (end != std::string_view::npos && end > 0 && rest[end - 1] == '\\') end = rest.find('\n', end + 1);
  return std::min(end, rest.size());
}

std::size_t quoted_length(std::string_view rest) {
  for (std::size_t position = 1; position < rest.size(); ++position) {
    if (rest[position] == '\\')
      ++position;
    else if (rest[position] == rest[0])
      return position + 1;
    else if (rest[position] == '\n')
      return position;
  }
  return rest.size();
}

// Digits, digit separators, suffixes, and the sign of an exponent: 1'000u, 0x1Fp-3, 2.5e-3f.
std::size_t number_length(std::string_view rest) {
  const bool is_hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  const auto is_exponent = [&](char c) {
    return is_hexadecimal ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
  };
  std::size_t position = 1;
  while (position < rest.size()) {
    const char c = rest[position];
    const bool is_sign = (c == '+' || c == '-') && is_exponent(rest[position - 1]);
    if (!is_word_character(c) && c != '.' && c != '\'' && !is_sign) break;
    ++position;
  }
  return position;
}

Token first_token(std::string_view rest, bool at_line_start) {
  const auto token = [&](TokenKind kind, std::size_t length) { return Token{kind, rest.substr(0, length)}; };
  const char c = rest.front();
  if (is_space(c)) return token(TokenKind::space, length_while(rest, is_space));
  if (rest.starts_with("//")) return token(TokenKind::comment, line_length(rest));
  if (rest.starts_with("/*")) return token(TokenKind::comment, length_through(rest, "*/", 2));
  if (c == '#' && at_line_start) return token(TokenKind::directive, line_length(rest));
  if (c == '"' || c == '\'') return token(TokenKind::string, quoted_length(rest));
  if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1])))
    return token(TokenKind::number, number_length(rest));
  if (is_word_character(c)) return token(TokenKind::word, length_while(rest, is_word_character));
  return token(TokenKind::symbol, 1);
}

}  // namespace

std::vector<Token> cuda_tokens(std::string_view source) {
  std::vector<Token> tokens;
  bool at_line_start = true;
  while (!source.empty()) {
    const Token token = first_token(source, at_line_start);
    if (token.kind != TokenKind::space)
      at_line_start = false;
    else if (token.text.find('\n') != std::string_view::npos)
      at_line_start = true;
    tokens.push_back(token);
    source.remove_prefix(token.text.size());
  }
  return tokens;
}

std::string strip_comments(const std::string& source) {
  std::string code;
  for (const Token& token : cuda_tokens(source)) {
    std::string text(token.text);
    const bool is_quoted = token.kind == TokenKind::string;
    if (is_quoted || token.kind == TokenKind::comment) {
      const bool is_closed = is_quoted && text.size() > 1 && text.back() == text.front();
      for (std::size_t i = is_quoted; i + is_closed < text.size(); ++i)
        if (text[i] != '\n') text[i] = ' ';
    }
    code += text;
  }
  return code;
}

bool is_word_character(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) || character == '_';
}

}  // namespace gpulab
