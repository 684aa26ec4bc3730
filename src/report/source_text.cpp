#include <algorithm>
#include <cctype>

#include "report/source.hpp"

namespace gpulab::report {
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

std::vector<std::string> wrapped_source_line(const std::string& line, std::size_t width) {
  constexpr std::size_t deepest = 20, further = 4;
  return wrapped(line, width, std::min(line.find_first_not_of(' '), deepest) + further);
}

std::string source_text(const std::string& source, const TextStyle& style) {
  std::string text;
  for (const Token& token : cuda_tokens(source)) text += painted(token.text, ink_of(token), style);
  return text;
}

}  // namespace gpulab::report
