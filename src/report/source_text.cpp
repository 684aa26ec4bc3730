#include "report/source_text.hpp"

#include <algorithm>

#include "report/cuda_tokens.hpp"

namespace gpulab {
namespace {

using Tokens = std::vector<Token>;

// Words between spaces.
constexpr std::string_view keywords =
    " auto bool break case char class const constexpr continue default do double else enum extern false "
    "float for "
    "if inline int long namespace nullptr reinterpret_cast return short signed sizeof static static_cast "
    "struct "
    "switch template true typename unsigned using void volatile while ";

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

bool is_code(const Token& token) {
  return token.kind != TokenKind::space && token.kind != TokenKind::comment;
}

bool is_symbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::symbol && token.text == text;
}

std::ptrdiff_t line_breaks(const Token& token) {
  return std::count(token.text.begin(), token.text.end(), '\n');
}

std::size_t next_code(const Tokens& tokens, std::size_t index) {
  while (index < tokens.size() && !is_code(tokens[index])) ++index;
  return index;
}

// What ends the head of the declaration that begins at first: the brace of a body, or the declaration's end.
std::size_t head_end(const Tokens& tokens, std::size_t first) {
  const auto ends = [](const Token& token) {
    return token.kind == TokenKind::directive || is_symbol(token, "{") || is_symbol(token, "}") ||
           is_symbol(token, ";");
  };
  return static_cast<std::size_t>(
      std::find_if(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end(), ends) - tokens.begin());
}

// The token behind the brace that closes the one at open; the end when it is never closed.
std::size_t behind_braces(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t index = open; index < tokens.size(); ++index) {
    if (is_symbol(tokens[index], "{")) ++depth;
    if (is_symbol(tokens[index], "}") && --depth == 0) return index + 1;
  }
  return tokens.size();
}

// Whether the head says __global__ and has the name in front of a parenthesis.
bool declares_kernel(const Tokens& tokens, std::size_t first, std::size_t end, std::string_view name) {
  bool is_kernel = false, is_named = false;
  for (std::size_t index = first; index < end; ++index) {
    if (tokens[index].text == "__global__") is_kernel = true;
    if (tokens[index].text == name && is_symbol(tokens[next_code(tokens, index + 1)], "(")) is_named = true;
  }
  return is_kernel && is_named;
}

// Back over the comments that stand above, with no empty line between. A comment that ends a line of code
// belongs to that line.
std::size_t with_comment_above(const Tokens& tokens, std::size_t first) {
  while (first >= 2) {
    const bool is_above = tokens[first - 1].kind == TokenKind::space && line_breaks(tokens[first - 1]) == 1 &&
                          tokens[first - 2].kind == TokenKind::comment;
    const bool begins_line = first == 2 || line_breaks(tokens[first - 3]) > 0;
    if (!is_above || !begins_line) break;
    first -= 2;
  }
  return first;
}

std::string joined(const Tokens& tokens, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t index = first; index < end; ++index) text += tokens[index].text;
  return text + "\n";
}

}  // namespace

std::string source_text(const std::string& source, const TextStyle& style) {
  std::string text;
  for (const Token& token : cuda_tokens(source)) text += painted(token.text, ink_of(token), style);
  return text;
}

std::string function_source(const std::string& file_text, const std::string& kernel) {
  const Tokens tokens = cuda_tokens(file_text);
  std::size_t first = next_code(tokens, 0);
  while (first < tokens.size()) {
    const std::size_t body = head_end(tokens, first);
    const bool has_body = body < tokens.size() && is_symbol(tokens[body], "{");
    const std::size_t end = has_body ? behind_braces(tokens, body) : body + 1;
    if (has_body && declares_kernel(tokens, first, body, kernel))
      return joined(tokens, with_comment_above(tokens, first), end);
    const bool opens_scope = tokens[first].text == "namespace" || tokens[first].text == "extern";
    first = next_code(tokens, opens_scope ? body + 1 : end);
  }
  return "";
}

}  // namespace gpulab
