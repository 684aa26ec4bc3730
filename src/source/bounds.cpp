#include "source/bounds.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "source/statements.hpp"

namespace gpulab::source {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns n for the last "name < n" or "name >= n" before a token.
std::string_view bound_before(const Code& code, std::string_view name, std::size_t before) {
  for (std::size_t i = before; i-- > 0;) {
    if (code.text(i) != name || (i > 0 && (code.text(i - 1) == "." || code.text(i - 1) == "+"))) continue;
    const std::size_t bound = is_operation(code, i + 1, ">=") ? i + 3 : code.text(i + 1) == "<" ? i + 2 : 0;
    const std::string_view behind = code.text(bound + 1);
    if (bound != 0 && (code.is_word(bound) || is_number(code.text(bound))) &&
        (behind == ")" || behind == "&" || behind == "|" || behind == ";"))
      return code.text(bound);
  }
  return {};
}

bool begins_launch(const Code& code, std::size_t i) {
  return is_operation(code, i, "<<<");
}

// Returns the values between <<< and >>>, each as its first token and the one behind its last.
std::vector<std::pair<std::size_t, std::size_t>> values_of_launch(const Code& code, std::size_t launch) {
  std::vector<std::pair<std::size_t, std::size_t>> values;
  for (std::size_t begin = launch + 3, i = begin; i < code.size() && code.text(i) != ";";) {
    const bool is_end = is_operation(code, i, ">>>");
    if (is_end || code.text(i) == ",") values.emplace_back(begin, i);
    if (is_end) return values;
    if (code.text(i) == ",") begin = i + 1;
    i = code.text(i) == "(" || code.text(i) == "[" || code.text(i) == "{" ? code.after_bracket(i) : i + 1;
  }
  return {};
}

// Returns the type of "extern __shared__ float array[]".
std::string type_of_dynamic(const Code& code, std::string_view array) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == "extern" && code.text(i + 1) == "__shared__")
      if (const std::size_t name = code.after_statement(i) - 4; name > i + 2 && code.text(name) == array)
        return code.text_between(i + 2, name);
  return "";
}

// Returns whether the value is surely no number of bytes: a number, the threads of the block, or a variable
// that has one of these.
bool is_count(const Code& code, std::size_t begin, std::size_t end, const std::string& threads) {
  if (code.text_between(begin, end) == threads) return true;
  if (end != begin + 1) return false;
  if (is_number(code.text(begin))) return true;
  for (std::size_t i = begin; i-- > 1;)
    if (code.text(i) == code.text(begin) && code.text(i + 1) == "=")
      return is_number(code.text(i + 2)) && end_of_value(code, i + 2) == i + 3;
  return false;
}

}  // namespace

std::string missing_condition(const Code& code, int line, bool is_before, std::size_t elements_outside,
                              std::size_t length) {
  std::string condition;
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i) {
    const bool is_index = code.text(i) == "[" && code.is_word(i + 1) && is_number(code.text(i + 3)) &&
                          code.text(i + 4) == "]" && code.text(i + 2) == (is_before ? "-" : "+");
    const auto step =
        static_cast<std::size_t>(is_index ? std::atoi(std::string(code.text(i + 3)).c_str()) : 0);
    if (!is_index || elements_outside > step) continue;
    const std::string index = code.text_between(i + 1, i + 4);
    const std::string_view bound =
        is_before || length > 0 ? std::string_view() : bound_before(code, code.text(i + 1), i);
    if (!is_before && length == 0 && bound.empty()) return "";
    const std::string one = is_before ? std::string(code.text(i + 1)) + " >= " + std::string(code.text(i + 3))
                            : length > 0 ? index + " < " + std::to_string(length)
                                         : index + " < " + std::string(bound);
    if (!condition.empty() && condition != one) return "";
    condition = one;
  }
  return condition;
}

std::string launch_in_bytes(const Code& code, int line, std::string_view array) {
  const std::string type = type_of_dynamic(code, array);
  std::size_t launch = code.size();
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i)
    if (begins_launch(code, i) && std::exchange(launch, i) != code.size()) return "";
  const auto values = values_of_launch(code, launch);
  if (type.empty() || values.size() < 3) return "";
  const auto text_of = [&](std::size_t value) {
    return code.text_between(values[value].first, values[value].second);
  };
  if (!is_count(code, values[2].first, values[2].second, text_of(1))) return "";
  std::string configuration =
      "<<<" + text_of(0) + ", " + text_of(1) + ", " + text_of(2) + " * sizeof(" + type + ")";
  for (std::size_t value = 3; value < values.size(); ++value) configuration += ", " + text_of(value);
  return configuration + ">>>";
}

}  // namespace gpulab::source
