#include "source/signals.hpp"

#include <algorithm>
#include <vector>

#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::source {
namespace {

std::size_t begin_of_statement(const Code& code, std::size_t at) {
  while (at > 0 && !is_one_of(code.text(at - 1), {";", "{", "}"})) --at;
  return at;
}

bool begins_condition(std::string_view word) {
  return is_one_of(word, {"if", "while", "for", "switch"});
}

// Returns whether the token is in the condition of a statement that begins there, or in what is returned.
bool is_in_condition(const Code& code, std::size_t begin, std::size_t at) {
  for (std::size_t i = begin; i < at; ++i) {
    if (code.text(i) == "return") return true;
    if (begins_condition(code.text(i)) && code.text(i + 1) == "(" && at < code.after_bracket(i + 1))
      return true;
  }
  return false;
}

// Returns the token of the line's first atomic from that token on, code.size() if there is none.
std::size_t atomic_at(const Code& code, int line, std::size_t from = 0) {
  const auto [begin, end] = code.line(line);
  for (std::size_t i = std::max(from, begin); i < end; ++i) {
    if (code.text(i + 1) != "(" || i < 2) continue;
    const bool is_member = code.text(i - 1) == "." || is_operation(code, i - 2, "->");
    if (is_member && is_one_of(code.text(i), {"store", "load", "exchange", "compare_exchange_strong",
                                              "compare_exchange_weak", "fetch_add", "fetch_sub", "fetch_or",
                                              "fetch_and", "fetch_xor", "fetch_max", "fetch_min"}))
      return i;
    if (code.text(i).starts_with("atomic") &&
        !is_one_of(code.text(i), {"atomic_thread_fence", "atomic_signal_fence", "atomic_ref"}))
      return i;
  }
  return code.size();
}

bool has_any(const Code& code, const std::vector<std::string_view>& names, const TokenRange& range) {
  return std::ranges::any_of(names, [&](std::string_view name) { return has_word(code, name, range); });
}

// Returns whether one of the variables flows into a condition or is returned, from token `begin` to the end
// of a line. Adds to `names` each variable that is set from one of them, or from the token `at`.
bool flow_into_condition(const Code& code, std::vector<std::string_view>& names, std::size_t begin,
                         std::size_t at, int last_line) {
  for (std::size_t i = begin; i < code.size() && code[i].line <= last_line; ++i) {
    if (begins_condition(code.text(i)) && code.text(i + 1) == "(" &&
        has_any(code, names, {i + 1, code.after_bracket(i + 1)}))
      return true;
    if (code.text(i) == "return" && has_any(code, names, {i + 1, end_of_value(code, i + 1)})) return true;
    const bool is_assignment = i > 0 && code.text(i) == "=" && code.is_word(i - 1) && code.text(i + 1) != "=";
    if (!is_assignment) continue;
    const std::size_t end = end_of_value(code, i + 1);
    if ((i < at && at < end) || has_any(code, names, {i + 1, end})) names.push_back(code.text(i - 1));
  }
  return false;
}

// Returns the line's inline PTX instruction with another memory order in place of .relaxed; empty if the line
// has no such instruction.
std::string ptx_with_memory_order(const Code& code, int line, std::string_view order) {
  constexpr std::string_view relaxed = ".relaxed.", part_of_name = "abcdefghijklmnopqrstuvwxyz0123456789._:";
  const auto [begin, end] = code.line(line);
  const std::string text = code.text_between(begin, end);
  const std::size_t at = text.find(relaxed);
  if (!has_word(code, "asm", begin, end) || at == std::string::npos) return "";
  const std::size_t from = text.find_last_not_of(part_of_name, at) + 1,
                    to = std::min(text.find_first_not_of(part_of_name, at), text.size());
  return text.substr(from, to - from).replace(at - from + 1, relaxed.size() - 2, order);
}

}  // namespace

std::string atomic_in(const Code& code, int line, bool is_last) {
  std::size_t found = atomic_at(code, line);
  for (std::size_t at = found; is_last && at < code.size(); at = atomic_at(code, line, at + 1)) found = at;
  return std::string(code.text(found));
}

bool decides_on(const Code& code, int line, int later_line) {
  std::size_t at = atomic_at(code, line);
  for (std::size_t i = code.first_from_line(line + 1); i-- > code.first_from_line(line) && at == code.size();)
    if (code.text(i) == "while" || i == code.first_from_line(line)) at = i + 1;  // such as while (*flag == 0)
  const std::size_t begin = begin_of_statement(code, at);
  std::vector<std::string_view> names;  // of variables that depend on the atomic
  return is_in_condition(code, begin, at) || flow_into_condition(code, names, begin, at, later_line);
}

bool is_tested(const Code& code, int line, std::string_view pointer) {
  const auto [begin, end] = code.line(line);
  for (const std::size_t at : uses_between(code, pointer, begin, end)) {
    if (use_at(code, at) == VariableUse::set) continue;
    for (std::size_t i = begin; i < at; ++i)
      if (begins_condition(code.text(i)) && at < code.after_bracket(i + 1)) return true;
    std::vector<std::string_view> names;
    const std::size_t statement = begin_of_statement(code, at);
    if (is_in_condition(code, statement, at) ||
        flow_into_condition(code, names, statement, at, part_around(code, line).last))
      return true;
  }
  return false;
}

bool stores_one_value(const Code& code, int line, std::string_view pointer) {
  const PartLines part = part_around(code, line);
  const auto [begin, end] = code.lines(part.first, part.last);
  const std::size_t parameters = start_of_parameters(code, begin);
  for (std::size_t at = begin; at < end; ++at)
    if (code.text(at).starts_with("atomic") || code.text(at) == "while") return false;
  const auto is_same = [&](std::size_t at) {
    const std::string_view word = code.text(at);
    return word == "true" || word == "false" ||
           (code.is_word(at) ? has_word(code, word, parameters, code.after_bracket(parameters))
                             : word != "[" && word != "*");
  };
  const auto [first, behind] = code.line(line);
  for (const std::size_t use : uses_between(code, pointer, first, behind)) {
    if (use_at(code, use) != VariableUse::set) continue;
    std::size_t at = end_of_element(code, use) + 1;
    const std::size_t end_of_stored = end_of_value(code, at);
    while (at < end_of_stored && is_same(at)) ++at;
    return at == end_of_stored;
  }
  return false;
}

bool depends_on(const Code& code, int line, std::string_view variable, int line_of_read) {
  const std::vector<Loop> loops = loops_around(code, {line, line_of_read});
  if (loops.empty() && line < line_of_read) return false;
  const std::size_t begin = loops.empty() ? code.first_from_line(line_of_read) : loops.front().begin;
  std::vector<std::string_view> names{variable};
  return flow_into_condition(code, names, begin, code.size(),
                             loops.empty() ? line : loops.front().lines.last) ||
         has_any(code, names, code.line(line));
}

std::string with_memory_order(const Code& code, int line, std::string_view order) {
  if (const std::string instruction = ptx_with_memory_order(code, line, order); !instruction.empty())
    return instruction;
  const std::size_t at = atomic_at(code, line);
  std::size_t begin = at;
  while (begin > 1 && begin < code.size()) {
    if (code.text(begin - 1) == "." && code.is_word(begin - 2))
      begin -= 2;
    else if (is_operation(code, begin - 2, "->") && begin > 2 && code.is_word(begin - 3))
      begin -= 3;
    else
      break;
  }
  const std::size_t end = code.after_bracket(at + 1);
  if (at == code.size() || end > code.size()) return "";
  std::string call = code.text_between(begin, end);
  for (const std::string prefix : {"memory_order_", "memory_order::"})
    if (const std::size_t found = call.find(prefix + "relaxed"); found != std::string::npos)
      return call.replace(found, prefix.size() + std::string_view("relaxed").size(),
                          prefix + std::string(order));
  return "";
}

}  // namespace gpulab::source
