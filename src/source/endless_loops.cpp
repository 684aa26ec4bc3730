#include "source/endless_loops.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace gpulab::source {

bool is_thread_index(const Code& code, std::size_t at) {
  return code.text(at) == "threadIdx" && code.text(at + 1) == ".";
}

bool is_index_of_thread(const Code& code, std::size_t begin, std::size_t end) {
  const bool begins_with_index =
      is_thread_index(code, begin) && (end == begin + 3 || code.text(begin + 3) == "+");
  const bool ends_with_index = end > begin + 3 && is_thread_index(code, end - 3) && code.text(end - 4) == "+";
  return begins_with_index || ends_with_index;
}

std::vector<std::string_view> variables_in_condition(const Code& code, const Loop& loop) {
  std::vector<std::string_view> names;
  for (std::size_t at = loop.condition; at < loop.condition_end; ++at)
    if (code.is_word(at) && code.text(at - 1) != "." && !is_one_of(code.text(at + 1), {"(", "."}) &&
        std::ranges::find(names, code.text(at)) == names.end())
      names.push_back(code.text(at));
  return names;
}

namespace {

bool may_end_early(const Code& code, const Loop& loop) {
  return has_word(code, "break", loop.begin, loop.end) || has_word(code, "return", loop.begin, loop.end) ||
         has_word(code, "goto", loop.begin, loop.end);
}

// Returns whether an if before the loop compares the variable with a number. If so, a thread in which the
// variable is 0 may never come to the loop.
bool is_guarded_by_number(const Code& code, const Loop& loop, const LocalVariable& variable) {
  for (std::size_t at = variable.at; at < loop.begin; ++at) {
    if (code.text(at) != "if" || !has_word(code, variable.name, at + 1, code.matching(at + 1))) continue;
    const std::size_t end = end_of_statement(code, at);
    const bool decides = end > loop.begin || has_word(code, "return", at, end);
    for (std::size_t inner = at + 2; decides && inner < code.matching(at + 1); ++inner)
      if (code[inner].kind == TokenKind::number || code.text(inner) == "!" ||
          (code.text(inner) == variable.name && !is_one_of(code.text(inner + 1), {">", "<"})))
        return true;
  }
  return false;
}

// Says that a loop advances by the index of a thread in the grid, which is 0 in one thread; empty if not.
std::string why_step_is_0(const Code& code, const Loop& loop, const std::vector<LocalVariable>& variables,
                          std::size_t use) {
  const std::size_t step = use + 3;
  if (!is_operation(code, use + 1, "+=") || end_of_value(code, step) != step + 1) return "";
  for (const LocalVariable& variable : variables) {
    if (variable.name != code.text(step) || !variable.has_initializer || variable.at > loop.begin ||
        variable.scope_end < loop.end)
      continue;
    const std::size_t value = variable.at + 2, end = end_of_value(code, value);
    const bool is_index = has_word(code, "threadIdx", value, end) && has_word(code, "blockIdx", value, end) &&
                          is_index_of_thread(code, value, end);
    if (is_index && changes_between(code, variable.name, variable.at + 1, loop.end).empty() &&
        !has_word(code, variable.name, loop.condition, loop.condition_end) &&
        !is_guarded_by_number(code, loop, variable))
      return fmt::format("in thread 0 of block 0, '{0}' is 0, so += {0} in line {1} never advances",
                         variable.name, code[use].line);
  }
  return "";
}

// Says why the value that this use stores never ends the loop; empty if the value may end it.
std::string why_useless(const Code& code, const Loop& loop, const LocalVariable& variable, std::size_t use) {
  const std::string name(variable.name), line = std::to_string(code[use].line);
  const auto changes = [&](const char* operation) { return is_operation(code, use + 1, operation); };
  if (use_at(code, use) == VariableUse::set) {
    for (std::size_t at = use + 2; at < end_of_value(code, use + 2); ++at) {
      if (is_one_of(code.text(at), {"[", "("})) return "";
      if (code.is_word(at) && !changes_between(code, code.text(at), loop.condition, loop.end).empty())
        return "";
    }
    return fmt::format("line {} sets '{}' to the same value in each iteration", line, name);
  }
  if ((changes("+=") || changes("-=")) && code.text(use + 3) == "0" && end_of_value(code, use + 3) == use + 4)
    return fmt::format("line {} adds 0 to '{}'", line, name);
  const bool ends_below_0 = code.text(loop.condition) == name &&
                            is_operation(code, loop.condition + 1, ">=") &&
                            code.text(loop.condition + 3) == "0";
  if (ends_below_0 && (changes("/=") || changes(">>=")))
    return fmt::format("{0} >= 0 always holds, as dividing makes '{0}' 0 and never less", name);
  if (ends_below_0 && (variable.type == "unsigned" || variable.type == "size_t"))
    return fmt::format("{0} >= 0 always holds, as '{0}' is unsigned", name);
  const bool begins_at_0 = code.text(variable.at + 1) == "=" && code.text(variable.at + 2) == "0";
  if (begins_at_0 && (changes("*=") || changes("<<=")))
    return fmt::format("'{}' begins at 0, and a multiple of 0 is 0", name);
  return "";
}

// Says that a loop waits for memory that nothing in it changes. Another thread ends it only if the load is
// volatile or atomic: a compiler may load once, before the loop.
std::string why_memory_stays(const Code& code, const Loop& loop) {
  if (code.text(loop.begin) != "while" || has_word(code, "volatile", 0, code.size())) return "";
  for (std::size_t at = loop.condition_end + 1; at < loop.end; ++at)
    if (is_one_of(code.text(at), {"(", "[", "*"})) return "";
  for (const std::string_view name : variables_in_condition(code, loop))
    if (!changes_between(code, name, loop.condition, loop.end).empty()) return "";
  return fmt::format("nothing in it changes {}, and without volatile no other thread needs to be seen",
                     in_one_line(code, loop.condition, loop.condition_end));
}

bool always_holds(const Code& code, const Loop& loop) {
  const std::size_t tokens = loop.condition_end - loop.condition;
  return tokens == 0 || (tokens == 1 && is_one_of(code.text(loop.condition), {"true", "1"}));
}

}  // namespace

std::string why_endless(const Code& code, const Loop& loop, const std::vector<LocalVariable>& variables) {
  const bool may_end = may_end_early(code, loop);
  if (may_end && (code.text(loop.begin) != "for" || always_holds(code, loop))) return "";
  if (always_holds(code, loop)) return "its condition always holds, and nothing leaves it";
  if (code.has("(", {loop.condition, loop.condition_end})) return "";
  for (std::size_t at = loop.condition; at < loop.condition_end; ++at)
    if (code.text(at) == "[" || (code.text(at) == "*" && at == loop.condition))
      return may_end ? "" : why_memory_stays(code, loop);
  std::vector<std::string> unchanged;
  for (const std::string_view name : variables_in_condition(code, loop)) {
    const std::vector<std::size_t> changes = changes_between(code, name, loop.condition, loop.end);
    const auto variable = std::ranges::find(variables, name, &LocalVariable::name);
    const bool is_local = variable != variables.end() && !variable->is_shared && !variable->is_pointer;
    if (changes.empty() && is_local) unchanged.push_back(fmt::format("'{}'", name));
    if (changes.empty()) continue;
    if (changes.size() != 1 || !is_local) return "";
    if (may_end) return "";
    const std::string useless = why_useless(code, loop, *variable, changes.front());
    return useless.empty() ? why_step_is_0(code, loop, variables, changes.front()) : useless;
  }
  return unchanged.empty() ? "" : fmt::format("nothing in it changes {}", fmt::join(unchanged, " or "));
}

std::optional<std::pair<int, std::string>> endless_loop_at(const Code& code, int line) {
  const std::vector<LocalVariable> variables = local_variables(code);
  for (const Loop& loop : line > 0 ? loops_around(code, {line}) : all_loops(code)) {
    std::size_t mark = loop.begin;  // of the function around the loop, if it is for the device
    while (mark > 0 && !is_one_of(code.text(mark), {"__global__", "__device__"})) --mark;
    const std::size_t parameters = start_of_parameters(code, mark), body = code.after_bracket(parameters);
    const auto is_kept = [&](std::string_view name) {  // by others, and by what the loop does once
      for (const std::size_t use : uses_between(code, name, loop.condition, loop.end))
        if (use_at(code, use) == VariableUse::set) return false;
      return has_word(code, name, parameters, body) ||
             std::ranges::any_of(variables, [&](const LocalVariable& local) {
               return local.name == name && mark < local.at && local.at < loop.condition_end;
             });
    };
    if (mark == 0 && !is_one_of(code.text(0), {"__global__", "__device__"})) continue;
    if (loop.begin > code.matching(body) || !std::ranges::all_of(variables_in_condition(code, loop), is_kept))
      continue;
    if (std::string why = why_endless(code, loop, variables); !why.empty())
      return std::pair(loop.lines.first, std::move(why));
  }
  return std::nullopt;
}

}  // namespace gpulab::source
