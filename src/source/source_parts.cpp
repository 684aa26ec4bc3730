#include "source/source_parts.hpp"

#include <algorithm>
#include <cctype>

namespace gpulab::source {
namespace {

using Tokens = std::vector<Token>;

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

// What stands at the outermost level of a file: a function, or a variable.
struct Part {
  std::size_t first, end;
  bool is_kernel;
  std::string name;
};

// The word in front of the parameters; __launch_bounds__(256) is none. Empty where there are no parameters.
std::string function_name(const Tokens& tokens, std::size_t first, std::size_t end) {
  for (std::size_t index = first; index < end; ++index) {
    const std::size_t next = next_code(tokens, index + 1);
    const bool is_called =
        tokens[index].kind == TokenKind::word && next < end && is_symbol(tokens[next], "(");
    if (is_called && !tokens[index].text.starts_with("__")) return std::string(tokens[index].text);
  }
  return "";
}

// The last word before its size or its value.
std::string variable_name(const Tokens& tokens, std::size_t first, std::size_t end) {
  std::string name;
  for (std::size_t index = first; index < end; ++index) {
    if (is_symbol(tokens[index], "=") || is_symbol(tokens[index], "[")) break;
    if (tokens[index].kind == TokenKind::word) name = tokens[index].text;
  }
  return name;
}

// Where the part ends whose head ends there: behind the braces and the semicolon of a list of values.
std::size_t part_end(const Tokens& tokens, std::size_t head) {
  if (head == tokens.size() || !is_symbol(tokens[head], "{")) return std::min(head + 1, tokens.size());
  const std::size_t behind = behind_braces(tokens, head), next = next_code(tokens, behind);
  return next < tokens.size() && is_symbol(tokens[next], ";") ? next + 1 : behind;
}

std::vector<Part> parts_of(const Tokens& tokens) {
  std::vector<Part> parts;
  std::size_t first = next_code(tokens, 0);
  while (first < tokens.size()) {
    const std::size_t head = head_end(tokens, first);
    const bool has_body = head < tokens.size() && is_symbol(tokens[head], "{");
    const bool is_kernel = has_body && std::any_of(&tokens[first], &tokens[head], [](const Token& token) {
                             return token.text == "__global__";
                           });
    const bool is_scope =
        has_body && !is_kernel && (tokens[first].text == "namespace" || tokens[first].text == "extern");
    const std::size_t end = is_scope ? head + 1 : part_end(tokens, head);
    std::string name = function_name(tokens, first, head);
    if (name.empty()) name = variable_name(tokens, first, head);
    if (!is_scope) parts.push_back({first, end, is_kernel, std::move(name)});
    first = next_code(tokens, end);
  }
  return parts;
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

std::string source_of(const Tokens& tokens, const Part& part) {
  return joined(tokens, with_comment_above(tokens, part.first), part.end);
}

// Marks the part, and whatever else of the file it mentions.
void mark_used(const Tokens& tokens, const std::vector<Part>& parts, std::size_t part,
               std::vector<bool>& used) {
  if (used[part]) return;
  used[part] = true;
  for (std::size_t index = parts[part].first; index < parts[part].end; ++index)
    for (std::size_t other = 0; other < parts.size(); ++other)
      if (tokens[index].kind == TokenKind::word && tokens[index].text == parts[other].name &&
          !parts[other].is_kernel)
        mark_used(tokens, parts, other, used);
}

}  // namespace

std::string function_source(const std::string& file_text, const std::string& kernel) {
  const Tokens tokens = cuda_tokens(file_text);
  for (const Part& part : parts_of(tokens))
    if (part.is_kernel && part.name == kernel) return source_of(tokens, part);
  return "";
}

namespace {

// In the order of the file.
std::vector<PartLines> lines_of(const Tokens& tokens, const std::vector<Part>& parts) {
  std::vector<PartLines> lines;
  std::size_t token = 0;
  int line = 1;
  const auto line_at = [&](std::size_t wanted) {
    for (; token < wanted; ++token) line += static_cast<int>(line_breaks(tokens[token]));
    return line;
  };
  for (const Part& part : parts) {
    const int first = line_at(with_comment_above(tokens, part.first));
    lines.push_back({part.name, part.is_kernel, first, line_at(part.end)});
  }
  return lines;
}

// The kernels, and whatever they use.
std::vector<Part> used_parts(const Tokens& tokens, const std::vector<std::string>& kernels) {
  const std::vector<Part> parts = parts_of(tokens);
  std::vector<bool> used(parts.size());
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (parts[part].is_kernel && std::ranges::find(kernels, parts[part].name) != kernels.end())
      mark_used(tokens, parts, part, used);
  std::vector<Part> result;
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (used[part]) result.push_back(parts[part]);
  return result;
}

}  // namespace

std::vector<PartLines> lines_of_parts(const std::string& file_text) {
  const Tokens tokens = cuda_tokens(file_text);
  return lines_of(tokens, parts_of(tokens));
}

std::vector<PartLines> lines_of_what_it_uses(const std::string& file_text,
                                             const std::vector<std::string>& kernels) {
  const Tokens tokens = cuda_tokens(file_text);
  return lines_of(tokens, used_parts(tokens, kernels));
}

std::vector<std::string> kernel_names(const std::string& file_text) {
  std::vector<std::string> names;
  for (const Part& part : parts_of(cuda_tokens(file_text)))
    if (part.is_kernel) names.push_back(part.name);
  return names;
}

std::string source_with_what_it_uses(const std::string& file_text, const std::vector<std::string>& kernels) {
  const Tokens tokens = cuda_tokens(file_text);
  std::string text;
  for (const Part& part : used_parts(tokens, kernels))
    text += (text.empty() ? "" : "\n") + source_of(tokens, part);
  return text;
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

std::vector<std::string> wrapped_source_line(const std::string& line, std::size_t width) {
  constexpr std::size_t deepest = 20, further = 4;
  return wrapped(line, width, std::min(line.find_first_not_of(' '), deepest) + further);
}

std::string source_text(const std::string& source, const TextStyle& style) {
  std::string text;
  for (const Token& token : cuda_tokens(source)) text += painted(token.text, ink_of(token), style);
  return text;
}

}  // namespace gpulab::source
