#include "source/pointer_steps.hpp"

#include <algorithm>

namespace gpulab::source {
namespace {

// Returns the token behind what is added: before a comma, a bracket that closes, or another sum.
std::size_t end_of_term(const Code& code, std::size_t at) {
  constexpr std::string_view ends = ";,)]+-<>=?:";
  while (at < code.size() && ends.find(code.text(at)) == std::string_view::npos)
    at = code.text(at) == "(" || code.text(at) == "[" ? code.after_bracket(at) : at + 1;
  return at;
}

// Returns the term without its factor sizeof(...); empty if it has none.
std::string without_size(const Code& code, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (code.text(i) != "sizeof" || code.text(i + 1) != "(") continue;
    const std::size_t behind = code.after_bracket(i + 1);
    if (i > begin && code.text(i - 1) == "*")
      return code.text_between(begin, i - 1) + code.text_between(behind, end);
    if (code.text(behind) == "*") return code.text_between(begin, i) + code.text_between(behind + 1, end);
  }
  return "";
}

bool is_cast(const Code& code, std::size_t pointer) {
  return pointer > 2 && code.text(pointer - 1) == ")" && code.text(pointer - 2) == "*";
}

// Returns the type of the pointer's elements, as it is cast there or declared; empty if it is no pointer.
std::string element_type(const Code& code, std::size_t pointer) {
  if (is_cast(code, pointer)) return std::string(code.text(pointer - 3));
  const DeclaredType declared = declared_type(code, code.text(pointer), pointer);
  return declared.is_pointer ? declared.type : "";
}

}  // namespace

std::optional<ScaledStep> scaled_step(const Code& code, const LineRange& lines) {
  for (std::size_t i = 0; i + 2 < code.size() && code[i].line <= lines.last; ++i) {
    const bool is_index = code.text(i + 1) == "[",
               is_sum = code.text(i + 1) == "+" && code.text(i + 2) != "+" && code.text(i + 2) != "=";
    if (!lines.has(code[i].line) || !code.is_word(i) || (!is_index && !is_sum)) continue;
    const std::size_t end = is_index ? code.matching(i + 1) : end_of_term(code, i + 2);
    const std::string right = without_size(code, i + 2, end);
    if (right.empty()) continue;
    const std::string type = element_type(code, i);
    constexpr std::string_view of_bytes[] = {"bool", "void", "byte", "uint8_t", "int8_t"};
    if (type.empty() || type.ends_with("char") || std::ranges::find(of_bytes, type) != std::end(of_bytes))
      continue;
    const std::size_t begin = is_cast(code, i) ? code.matching(i - 1) : i;
    const std::string name = code.text_between(begin, i + 1);
    return ScaledStep{code[i].line, code.text_between(begin, is_index ? end + 1 : end),
                      is_index ? name + "[" + right + "]" : name + " + " + right};
  }
  return std::nullopt;
}

}  // namespace gpulab::source
