#include <algorithm>
#include <cctype>

#include "report/source.hpp"

namespace gpulab::report {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c));
}

bool is_decimal(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
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
    if (!is_word(c) && c != '.' && c != '\'' && !is_sign) break;
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
  if (is_decimal(c) || (c == '.' && rest.size() > 1 && is_decimal(rest[1])))
    return token(TokenKind::number, number_length(rest));
  if (is_word(c)) return token(TokenKind::word, length_while(rest, is_word));
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

namespace {

// Words between spaces.
constexpr std::string_view keywords =
    " auto bool break case char class const constexpr continue default do double else enum extern false "
    "float for if inline int long namespace nullptr reinterpret_cast return short signed sizeof static "
    "static_cast struct switch template true typename unsigned using void volatile while ";

constexpr std::string_view built_in_variables = " threadIdx blockIdx blockDim gridDim warpSize ";

bool contains(std::string_view list, std::string_view word) {
  return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// CUDA's own words: __global__, __syncthreads, __shfl_down_sync, atomicAdd, threadIdx.
bool is_cuda_word(std::string_view word) {
  return word.starts_with("__") || word.starts_with("atomic") || contains(built_in_variables, word);
}

Ink ink_of(const Token& token) {
  switch (token.kind) {
    case TokenKind::comment:
      return Ink::green;
    case TokenKind::directive:
      return Ink::magenta;
    case TokenKind::string:
      return Ink::yellow;
    case TokenKind::number:
      return Ink::magenta;
    case TokenKind::word:
      if (is_cuda_word(token.text)) return Ink::cyan;
      return contains(keywords, token.text) ? Ink::blue : Ink::plain;
    default:
      return Ink::plain;
  }
}

}  // namespace

std::string source_text(const std::string& source, const TextStyle& style) {
  std::string text;
  for (const Token& token : cuda_tokens(source)) text += painted(token.text, ink_of(token), style);
  return text;
}

}  // namespace gpulab::report
