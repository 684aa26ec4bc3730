#include "source/source_parts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace gpulab::source {
namespace {

// Returns the token that ends the head of a declaration: the brace of its body, or its semicolon.
std::size_t head_end(const Code& code, std::size_t at) {
  while (at < code.size() && code[at].kind != TokenKind::directive &&
         !is_one_of(code.text(at), {"{", "}", ";"}))
    ++at;
  return at;
}

// A function or a variable at the outermost level of a file.
struct Part {
  std::size_t first, end;  // tokens
  bool is_kernel;
  std::string_view name;
};

// Returns the word before the parameters, which is not __launch_bounds__; empty if there are none. Stops at
// the = of a variable, whose value may have parentheses, but not at that of template <int n = 1>.
std::string_view function_name(const Code& code, std::size_t first, std::size_t end) {
  int depth = 0;
  for (std::size_t i = first; i + 1 < end && (depth > 0 || code.text(i) != "="); ++i) {
    depth += (code.text(i) == "<") - (code.text(i) == ">");
    if (code.is_word(i) && code.text(i + 1) == "(" && !code.text(i).starts_with("__")) return code.text(i);
  }
  return "";
}

// Returns the last word before the size or the value.
std::string_view variable_name(const Code& code, std::size_t first, std::size_t end) {
  std::string_view name;
  for (std::size_t i = first; i < end && !is_one_of(code.text(i), {"=", "["}); ++i)
    if (code.is_word(i)) name = code.text(i);
  return name;
}

// Returns the end of the part whose head ends there: after the braces and, for an initialiser list, the
// semicolon.
std::size_t part_end(const Code& code, std::size_t end_of_head) {
  if (code.text(end_of_head) != "{") return std::min(end_of_head + 1, code.size());
  const std::size_t end = code.after_bracket(end_of_head);
  return code.text(end) == ";" ? end + 1 : end;
}

std::vector<Part> parts_of(const Code& code) {
  std::vector<Part> parts;
  for (std::size_t first = 0, end; first < code.size(); first = end) {
    const std::size_t end_of_head = head_end(code, first);
    const bool has_body = code.text(end_of_head) == "{";
    const auto is_global = [](const CodeToken& token) { return token.text == "__global__"; };
    const bool is_kernel = has_body && std::any_of(&code[first], &code[end_of_head], is_global);
    const bool is_scope = has_body && !is_kernel && is_one_of(code.text(first), {"namespace", "extern"});
    end = is_scope ? end_of_head + 1 : part_end(code, end_of_head);
    std::string_view name = function_name(code, first, end_of_head);
    if (name.empty()) name = variable_name(code, first, end_of_head);
    if (!is_scope) parts.push_back({first, end, is_kernel, name});
  }
  return parts;
}

std::ptrdiff_t line_breaks(std::string_view text) {
  return std::ranges::count(text, '\n');
}

// Returns where the part begins in the text: at the comments right above it, with no empty line between. A
// comment that ends a line of code belongs to that line.
std::size_t begin_of(const Code& code, const Part& part) {
  const std::size_t previous_end = part.first == 0 ? 0 : code.end_of(part.first - 1);
  std::size_t begin = code.begin_of(part.first);
  const std::vector<Token> between =
      cuda_tokens(std::string_view(code.whole()).substr(previous_end, begin - previous_end));
  for (std::size_t i = between.size(); i >= 2; i -= 2) {
    const Token &blank = between[i - 1], &comment = between[i - 2];
    const bool is_above =
        blank.kind == TokenKind::space && line_breaks(blank.text) == 1 && comment.kind == TokenKind::comment;
    const bool begins_line = i == 2 ? part.first == 0 : line_breaks(between[i - 3].text) > 0;
    if (!is_above || !begins_line) break;
    begin -= blank.text.size() + comment.text.size();
  }
  return begin;
}

// Returns the part's text, with a comment that ends its last line.
std::string source_of(const Code& code, const Part& part) {
  const std::string& text = code.whole();
  const std::size_t begin = begin_of(code, part), end = code.end_of(part.end - 1);
  const std::string rest = text.substr(end, text.find('\n', end) - end);
  return text.substr(begin, end - begin) + (trimmed(rest).starts_with("//") ? rest : "") + "\n";
}

PartLines lines_of(const Code& code, const Part& part) {
  const std::size_t begin = begin_of(code, part);
  const std::string_view above =
      std::string_view(code.whole()).substr(begin, code.begin_of(part.first) - begin);
  const CodeToken& last = code[part.end - 1];
  return {{code[part.first].line - static_cast<int>(line_breaks(above)),
           last.line + static_cast<int>(line_breaks(last.text))},
          std::string(part.name),
          part.is_kernel};
}

std::vector<PartLines> lines_of(const Code& code, const std::vector<Part>& parts) {
  std::vector<PartLines> lines;
  for (const Part& part : parts) lines.push_back(lines_of(code, part));
  return lines;
}

// Returns the kernels and all parts of the file that they mention, in the order of the file.
std::vector<Part> used_parts(const Code& code, const std::vector<std::string>& kernels) {
  const std::vector<Part> parts = parts_of(code);
  std::multimap<std::string_view, std::size_t> others;
  std::vector<std::size_t> to_read;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].is_kernel) others.emplace(parts[i].name, i);
    if (parts[i].is_kernel && std::ranges::find(kernels, parts[i].name) != kernels.end())
      to_read.push_back(i);
  }
  std::set<std::size_t> used(to_read.begin(), to_read.end());
  while (!to_read.empty()) {
    const Part& part = parts[to_read.back()];
    to_read.pop_back();
    for (std::size_t i = part.first; i < part.end; ++i) {
      if (!code.is_word(i)) continue;
      const auto [first, last] = others.equal_range(code.text(i));
      for (auto mentioned = first; mentioned != last; ++mentioned)
        if (used.insert(mentioned->second).second) to_read.push_back(mentioned->second);
    }
  }
  std::vector<Part> result;
  for (const std::size_t i : used) result.push_back(parts[i]);
  return result;
}

}  // namespace

std::string function_source(const Code& code, const std::string& kernel) {
  for (const Part& part : parts_of(code))
    if (part.is_kernel && part.name == kernel) return source_of(code, part);
  return "";
}

std::vector<PartLines> lines_of_parts(const Code& code) {
  return lines_of(code, parts_of(code));
}

int line_of_kernel(const Code& code, const std::string& kernel) {
  const std::vector<std::string> lines = source_lines(code.whole());
  for (const PartLines& part : lines_of_parts(code)) {
    if (!part.is_kernel || part.name != kernel) continue;
    for (int line = part.first; line <= part.last; ++line)
      if (source_line(lines, line).find("__global__") != std::string::npos) return line;
  }
  return 1;
}

PartLines part_around(const Code& code, int line) {
  for (const PartLines& part : lines_of_parts(code))
    if (part.has(line)) return part;
  return {};
}

PartLines kernel_around(const Code& code, int line) {
  for (const PartLines& part : lines_of_parts(code))
    if (part.is_kernel && part.has(line)) return part;
  return {};
}

std::vector<PartLines> lines_of_used_parts(const Code& code, const std::vector<std::string>& kernels) {
  return lines_of(code, used_parts(code, kernels));
}

std::vector<std::string> kernel_names(const Code& code) {
  std::vector<std::string> names;
  for (const Part& part : parts_of(code))
    if (part.is_kernel) names.emplace_back(part.name);
  return names;
}

std::string source_with_used_parts(const Code& code, const std::vector<std::string>& kernels) {
  std::string text;
  for (const Part& part : used_parts(code, kernels)) {
    const bool has_gap = std::string_view(code.whole()).substr(0, begin_of(code, part)).ends_with("\n\n");
    text += (!text.empty() && has_gap ? "\n" : "") + source_of(code, part);
  }
  return text;
}

std::string introduction_of(const std::string& text) {
  std::string introduction;
  for (const std::string& line : gpulab::lines_of(text)) {
    if (line.empty()) return introduction;
    if (!line.starts_with("//")) return "";
    introduction += line + "\n";
  }
  return introduction;
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

bool is_comment_or_empty(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos || line.compare(first, 2, "//") == 0;
}

namespace {

// Words, each between two spaces.
constexpr std::string_view keywords =
    " auto bool break case char class const constexpr continue default do double else enum extern false float for if inline int long namespace nullptr reinterpret_cast return short signed sizeof static "
    "static_cast struct switch template true typename unsigned using void volatile while ";

constexpr std::string_view built_in_variables = " threadIdx blockIdx blockDim gridDim warpSize ";

bool contains(std::string_view list, std::string_view word) {
  return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// Returns whether the word is CUDA's own: __global__, __syncthreads, __shfl_down_sync, atomicAdd, threadIdx.
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

// Returns the offset of a comment's text, if the line has nothing but the comment; 0 for other lines, and for
// a comment whose text is empty or indented.
std::size_t offset_of_comment(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  const bool is_comment = begin < line.size() && line.compare(begin, 3, "// ") == 0;
  return is_comment && begin + 3 < line.size() && line[begin + 3] != ' ' ? begin + 3 : 0;
}

}  // namespace

std::vector<std::string> wrapped_source_line(const std::string& line, std::size_t width) {
  constexpr std::size_t max_indent = 20, continuation = 4;
  const std::size_t begin = std::min({line.find_first_not_of(' '), line.size(), max_indent});
  const std::size_t comment = line.find("  // ", begin);
  const bool is_in_string =
      std::count(line.begin(), line.begin() + std::min(comment, line.size()), '"') % 2 != 0;
  if (line.size() > width && comment < line.size() && !is_in_string) {  // the comment goes above its code
    std::vector<std::string> rows =
        wrapped_source_line(std::string(begin, ' ') + line.substr(comment + 2), width);
    for (std::string& row : wrapped_source_line(line.substr(0, comment), width))
      rows.push_back(std::move(row));
    return rows;
  }
  if (line.compare(begin, 3, "// ") != 0) return wrapped(line, width, begin + continuation);
  std::vector<std::string> rows = wrapped(line, width, begin + 3);
  for (std::string& row : rows) row.replace(begin, 2, "//");
  return rows;
}

std::vector<std::string> with_joined_comments(const std::vector<std::string>& lines, std::size_t width) {
  std::vector<std::string> joined;
  for (auto first = lines.begin(); first != lines.end();) {
    const std::size_t begin = offset_of_comment(*first);
    auto last = first + 1;
    while (begin > 0 && last != lines.end() && offset_of_comment(*last) == begin) ++last;
    if (begin > 0 && std::any_of(first, last, [&](const auto& line) { return line.size() > width; })) {
      joined.push_back(*first++);
      while (first != last) joined.back() += " " + (first++)->substr(begin);
    } else {
      joined.insert(joined.end(), first, last);
      first = last;
    }
  }
  return joined;
}

std::string source_text(const std::string& source, const TextStyle& style) {
  std::string whole, text;
  for (const std::string& line : with_joined_comments(gpulab::lines_of(source), style.width)) {
    const std::vector<std::string> rows = wrapped_source_line(line, style.width);
    for (const std::string& row : rows) whole += row + "\n";
    if (rows.empty()) whole += "\n";
  }
  if (!source.ends_with('\n') && !whole.empty()) whole.pop_back();
  for (const Token& token : cuda_tokens(whole)) text += painted(token.text, ink_of(token), style);
  return text;
}

}  // namespace gpulab::source
