#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "check/checks.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Causes that the text of a kernel shows, once it is known to be wrong.

namespace {
using source::Code, source::LocalVariable, source::Loop, source::VariableUse, source::end_of_value,
    source::is_operation, source::use_at, source::uses_between;
using Cause = std::optional<CheckPlace>;

bool is_plain_assignment(const Code& code, std::size_t at) {
  constexpr std::string_view parts_of_others = "=<>!+-*/%&|^";
  return code.text(at) == "=" && !is_operation(code, at, "==") && at > 0 && code.text(at + 1) != "<" &&
         code.text(at + 1) != ">" && parts_of_others.find(code.text(at - 1)) == std::string_view::npos;
}

// Returns whether the brackets, which are those of a condition, hold "x = y" and nothing around it.
bool is_assignment(const Code& code, std::size_t bracket) {
  if (code.is_word(bracket + 1) && code.is_word(bracket + 2)) return false;  // if (int x = f())
  std::size_t at = bracket + 1;
  while (at < code.matching(bracket) && !is_plain_assignment(code, at))
    at = code.text(at) == "(" || code.text(at) == "[" ? code.after_bracket(at) : at + 1;
  return at < code.matching(bracket) && code.matching(bracket) < code.size();
}

bool begins_statement(const Code& code, std::size_t at) {
  if (at == 0) return false;
  const std::string_view before = code.text(at - 1);
  const std::size_t open = before == ")" ? code.matching(at - 1) : code.size();
  const std::string_view head = open > 0 && open < at ? code.text(open - 1) : before;
  return before == ";" || before == "{" || before == "}" || before == "else" || head == "if" ||
         head == "for" || head == "while";
}

// Returns whether the statement that begins there only compares: "x == y;".
bool is_comparison(const Code& code, std::size_t at) {
  if (!code.is_word(at)) return false;
  std::size_t next = at + 1;
  while (code.text(next) == "[") next = code.after_bracket(next);
  if (!is_operation(code, next, "==")) return false;
  for (std::size_t before = at; before-- > 0 && code.text(before) != "{" && code.text(before) != "}";)
    if (code.text(before) == "(" && code.matching(before) > at) return false;  // for (...; x == y; ...)
  return true;
}

CheckPlace at_line(const Code& code, std::size_t at, const char* pattern, std::string text) {
  return {.line = code[at].line, .pattern = pattern, .text = std::move(text)};
}

// Returns the slip of the pen that begins at that token, if one does.
Cause slip_at(const Code& code, std::size_t at) {
  const std::string word(code.text(at)), line = std::to_string(code[at].line);
  const auto slip = [&](const char* pattern, std::string text) {
    return at_line(code, at, pattern, std::move(text));
  };
  const std::size_t behind = code.after_bracket(at + 1);
  const std::string_view next = code.text(behind + 1);
  if ((word == "if" || word == "for") && code.text(behind) == ";" && next != "else" && next != "}")
    return slip("stray-semicolon", fmt::format("the {} in line {} ends at the semicolon behind its bracket, "
                                               "so nothing belongs to it",
                                               word, line));
  if (is_operation(code, at, "=<") || is_operation(code, at, "=>"))
    return slip("equals-sign", fmt::format("line {0} has ={1}: write {1}=", line, code.text(at + 1)));
  if ((word == "if" || word == "while") && code.text(at + 1) == "(" && is_assignment(code, at + 1))
    return slip("equals-sign",
                fmt::format("the condition in line {} stores with =, and does not compare", line));
  if (!begins_statement(code, at)) return std::nullopt;
  if (word.starts_with("__sync") && code.text(at + 1) == ";")
    return slip("barrier-not-called",
                fmt::format("line {} has {} without brackets, so no thread waits there", line, word));
  if (is_comparison(code, at))
    return slip("equals-sign", fmt::format("line {} compares with ==, and stores nothing", line));
  return std::nullopt;
}

bool has_symbol(const Code& code, std::string_view symbol, std::size_t begin, std::size_t end) {
  while (begin < end && code.text(begin) != symbol) ++begin;
  return begin < end;
}

bool has_word(const Code& code, std::string_view word, std::size_t begin, std::size_t end) {
  return !uses_between(code, word, begin, end).empty();
}

// Returns whether the word is between these tokens, or in the first value of a variable that is.
bool depends_on(const Code& code, const std::vector<LocalVariable>& variables, std::string_view word,
                std::size_t begin, std::size_t end) {
  return has_word(code, word, begin, end) || std::ranges::any_of(variables, [&](const LocalVariable& one) {
           return has_word(code, one.name, begin, end) &&
                  has_word(code, word, one.at + 1, end_of_value(code, one.at + 1));
         });
}

// Finds a variable whose first use needs a value that nothing has given to it.
Cause unset_local(const Code& code, const std::vector<LocalVariable>& variables) {
  for (const LocalVariable& one : variables) {
    const std::size_t first = source::use_without_value(code, one);
    if (first == code.size()) continue;
    const char* what = is_operation(code, first + 1, "+=")           ? "adds to it"
                       : use_at(code, first) == VariableUse::changed ? "changes it"
                                                                     : "reads it";
    return at_line(code, first, unset_variable,
                   fmt::format("'{}' is never set before line {} {}", one.name, code[first].line, what));
  }
  return std::nullopt;
}

// Finds an array that the threads of a block index by their numbers, as if they shared it.
Cause private_array(const Code& code, const std::vector<LocalVariable>& variables) {
  for (const LocalVariable& one : variables) {
    if (!one.is_array || one.is_shared || one.is_const) continue;
    std::set<std::string> indices;
    bool is_by_thread = false;
    for (const std::size_t use : uses_between(code, one.name, one.at + 1, one.scope_end)) {
      std::size_t end = use + 1;
      while (code.text(end) == "[") end = code.after_bracket(end);
      std::string index;
      for (std::size_t at = use + 1; at < end; ++at) index += code.text(at);
      is_by_thread |= depends_on(code, variables, "threadIdx", use + 1, end);
      indices.insert(index);
    }
    if (is_by_thread && indices.size() > 1)
      return at_line(code, one.at, "not-shared",
                     fmt::format("line {} declares '{}' without __shared__, so each thread has its own array",
                                 code[one.at].line, one.name));
  }
  return std::nullopt;
}

bool has_only_real_numbers(const Lesson& lesson) {
  return std::ranges::all_of(lesson.problem(lesson.default_settings()).arrays, [](const SizedArray& array) {
    return array.role == Role::scratch || array.type == ElementType::float32 ||
           array.type == ElementType::float64;
  });
}

// Finds elements, or a sum of them, in a variable for whole numbers.
Cause sum_in_an_int(const Code& code, const std::vector<LocalVariable>& variables) {
  const auto is_real = [](const LocalVariable& one) {
    return one.type == "float" || one.type == "double" || one.type.ends_with("half");
  };
  for (const LocalVariable& one : variables) {
    if (is_real(one) || one.type == "auto" || one.is_pointer) continue;
    for (const std::size_t use : uses_between(code, one.name, one.at, one.scope_end)) {
      std::size_t next = use + 1;
      while (code.text(next) == "[") next = code.after_bracket(next);
      const bool adds = is_operation(code, next, "+=");
      const std::size_t end = end_of_value(code, next + 1);
      const bool is_of_elements =
          has_symbol(code, "[", next, end) || std::ranges::any_of(variables, [&](const LocalVariable& other) {
            return is_real(other) && has_word(code, other.name, next, end);
          });
      if (is_of_elements && (adds || is_plain_assignment(code, next)))
        return at_line(
            code, one.at, "whole-numbers",
            fmt::format("line {} declares '{}' as {}, so what line {} {} loses the digits behind the point",
                        code[one.at].line, one.name, one.type, code[use].line, adds ? "adds" : "stores"));
    }
  }
  return std::nullopt;
}

// Returns the x of "threadIdx.x" if that stands there; empty otherwise.
std::string_view component_of(const Code& code, std::size_t at, std::string_view variable) {
  return code.text(at) == variable && code.text(at + 1) == "." ? code.text(at + 2) : std::string_view();
}

// Finds an index in the grid that is put together in a wrong way.
Cause index_in_grid(const Code& code) {
  for (std::size_t at = 1; at < code.size(); ++at) {
    const std::string_view thread = component_of(code, at, "threadIdx"),
                           block = component_of(code, at, "blockIdx");
    const std::size_t sign = at + 3, other = at + 4;
    const std::string_view of_thread = component_of(code, other, "threadIdx"),
                           of_block = component_of(code, other, "blockIdx");
    const std::string_view component = thread.empty() ? block : thread;
    const auto says = [&](const char* text) {
      return at_line(code, at, "wrong-index", fmt::format(fmt::runtime(text), code[at].line, component));
    };
    const bool are_both = (!block.empty() && block == of_thread) || (!thread.empty() && thread == of_block);
    if (are_both && code.text(sign) == "+" && code.text(at - 1) != "*" && code.text(other + 3) != "*")
      return says(
          "line {0} adds threadIdx.{1} to blockIdx.{1}, and not to blockIdx.{1} * blockDim.{1}, so threads of several blocks have the same index");
    if (are_both && code.text(sign) == "*")
      return says("line {0} multiplies blockIdx.{1} by threadIdx.{1}, and not by blockDim.{1}");
    if (!thread.empty() && code.text(sign) == "*" && component_of(code, other, "blockDim") == thread &&
        code.text(at + 7) == "+" && component_of(code, at + 8, "blockIdx") == thread)
      return says("line {0} multiplies threadIdx.{1} by blockDim.{1}, and not blockIdx.{1}");
  }
  return std::nullopt;
}

// Returns whether only some rounds of the loop come to that token.
bool is_under_condition(const Code& code, const Loop& loop, std::size_t at) {
  for (std::size_t i = loop.begin; i < at; ++i)
    if (code.text(i) == "if" && source::end_of_statement(code, i) > at) return true;
  return false;
}

// Finds a result of a loop that each round sets anew, so that what earlier rounds have added is lost.
Cause overwritten_sum(const Code& code, const std::vector<LocalVariable>& variables) {
  for (std::size_t examined = 0; const LocalVariable& one : variables)
    for (const std::size_t set : uses_between(code, one.name, one.at + 1, one.scope_end)) {
      if (one.is_array || one.is_pointer || use_at(code, set) != VariableUse::set) continue;
      if (++examined > 100) return std::nullopt;  // nobody writes more assignments
      const std::vector<Loop> loops = source::loops_around(code, {code[set].line});
      const auto inner = std::find_if(loops.rbegin(), loops.rend(),
                                      [&](const Loop& loop) { return loop.begin < set && set < loop.end; });
      if (inner == loops.rend() || inner->begin < one.at || set < inner->condition_end) continue;
      std::size_t added = 0, used = 0;
      for (const std::size_t use : uses_between(code, one.name, inner->begin, inner->end))
        ++(use_at(code, use) == VariableUse::changed ? added : used);
      const bool is_used_only_behind = used == 1 && has_word(code, one.name, inner->end, one.scope_end);
      const bool sets_term =
          has_symbol(code, "[", set, end_of_value(code, set + 2)) && !is_under_condition(code, *inner, set);
      if (!is_used_only_behind || (added == 0 && !sets_term)) continue;
      return at_line(code, set, "overwritten-sum",
                     fmt::format("line {} sets '{}' anew in each round of the loop in line {}, {}",
                                 code[set].line, one.name, inner->lines.first,
                                 added > 0 ? "so what the rounds before have added is lost"
                                 : code.is_word(set - 1) && !begins_statement(code, set)
                                     ? "in a second variable: leave out its type, and write +="
                                     : "where it should add, so only the last round counts"));
    }
  return std::nullopt;
}

// Returns the variables of a condition: not members, functions, types and CUDA's own.
std::vector<std::string_view> variables_in(const Code& code, const Loop& loop) {
  std::vector<std::string_view> names;
  for (std::size_t at = loop.condition; at < loop.condition_end; ++at)
    if (code.is_word(at) && code.text(at - 1) != "." && code.text(at + 1) != "(" &&
        code.text(at + 1) != "." && std::ranges::find(names, code.text(at)) == names.end())
      names.push_back(code.text(at));
  return names;
}

bool may_end_early(const Code& code, const Loop& loop) {
  return has_word(code, "break", loop.begin, loop.end) || has_word(code, "return", loop.begin, loop.end) ||
         has_word(code, "goto", loop.begin, loop.end);
}

// Says why the value that this use stores never ends the loop; empty if it may.
std::string why_useless(const Code& code, const Loop& loop, const LocalVariable& variable, std::size_t use) {
  const std::string name(variable.name), line = std::to_string(code[use].line);
  const auto changes = [&](const char* operation) { return is_operation(code, use + 1, operation); };
  if (use_at(code, use) == VariableUse::set) {
    for (std::size_t at = use + 2; at < end_of_value(code, use + 2); ++at) {
      if (code.text(at) == "[" || code.text(at) == "(") return "";
      for (const std::size_t other : uses_between(code, code.text(at), loop.condition, loop.end))
        if (code.is_word(at) && use_at(code, other) != VariableUse::read) return "";
    }
    return fmt::format("line {} sets '{}' to the same value in each round", line, name);
  }
  const bool wants_not_negative = code.text(loop.condition) == name &&
                                  is_operation(code, loop.condition + 1, ">=") &&
                                  code.text(loop.condition + 3) == "0";
  if (wants_not_negative && (changes("/=") || changes(">>=")))
    return fmt::format("{0} >= 0 always holds, as dividing makes '{0}' 0 and never less", name);
  if (wants_not_negative && (variable.type == "unsigned" || variable.type == "size_t"))
    return fmt::format("{0} >= 0 always holds, as '{0}' is unsigned", name);
  const bool begins_at_0 = code.text(variable.at + 1) == "=" && code.text(variable.at + 2) == "0";
  if (begins_at_0 && (changes("*=") || changes("<<=")))
    return fmt::format("'{}' begins at 0, and a multiple of 0 is 0", name);
  return "";
}

bool always_holds(const Code& code, const Loop& loop) {
  const std::size_t tokens = loop.condition_end - loop.condition;
  return tokens == 0 ||
         (tokens == 1 && (code.text(loop.condition) == "true" || code.text(loop.condition) == "1"));
}

// Finds out why a loop does not end; empty if it may end, for all that its text shows.
std::string why_endless(const Code& code, const Loop& loop, const std::vector<LocalVariable>& variables) {
  if (may_end_early(code, loop)) return "";
  if (always_holds(code, loop)) return "its condition always holds, and nothing leaves it";
  for (const char* bracket : {"[", "("})
    if (has_symbol(code, bracket, loop.condition, loop.condition_end)) return "";
  std::vector<std::string> constant;
  for (const std::string_view name : variables_in(code, loop)) {
    std::vector<std::size_t> changes = uses_between(code, name, loop.condition, loop.end);
    std::erase_if(changes, [&](std::size_t use) { return use_at(code, use) == VariableUse::read; });
    const auto variable = std::ranges::find(variables, name, &LocalVariable::name);
    const bool is_local = variable != variables.end() && !variable->is_shared;
    if (changes.empty() && is_local) constant.push_back(fmt::format("'{}'", name));
    if (changes.empty()) continue;
    return changes.size() == 1 && is_local ? why_useless(code, loop, *variable, changes.front()) : "";
  }
  return constant.empty() ? "" : fmt::format("nothing in it changes {}", fmt::join(constant, " or "));
}

// Says whose work the threads do again in a loop over elements; empty if its text does not show that.
std::string why_repeated(const Code& code, const Loop& loop, const std::vector<LocalVariable>& variables) {
  const auto indexes_store = [&](std::size_t use) {
    return code.text(use - 1) == "[" && is_plain_assignment(code, code.after_bracket(use - 1));
  };
  const std::vector<std::string_view> names = variables_in(code, loop);
  if (code.text(loop.begin) == "do" || names.empty()) return "";
  const std::vector<std::size_t> steps = uses_between(code, names[0], loop.condition_end, loop.end);
  if (std::ranges::none_of(steps, indexes_store)) return "";
  const bool is_set = !uses_between(code, names[0], loop.begin, loop.condition).empty();
  const std::size_t end = is_set ? loop.condition : loop.condition_end;
  if (!depends_on(code, variables, "blockIdx", loop.begin, end))
    return depends_on(code, variables, "threadIdx", loop.begin, end)
               ? "begins at the same element in every block, so each block does the work of all"
               : "begins at the same element in every thread, so each thread does the work of all";
  for (const std::size_t at : steps) {
    const bool are_blocks = code.text(at + 3) == "gridDim" && end_of_value(code, at + 3) == at + 6;
    const bool is_step = use_at(code, at) != VariableUse::read && !are_blocks;
    if (is_step && depends_on(code, variables, "gridDim", at, end_of_value(code, at))) return "";
  }
  return "does not advance by a whole grid, gridDim.x * blockDim.x, so blocks do each other's work again";
}

// Puts in front which loop does not end, or does too much, and why if its text shows that.
void name_endless_loop(const Code& code, const std::vector<LocalVariable>& variables, CheckResult& result) {
  std::vector<Loop> loops = source::loops_around(code, {result.line});
  std::ranges::reverse(loops);
  // A loop that does nothing makes no access, so the kernel's first line is all that is known of it.
  if (loops.empty()) loops = source::all_loops(code);
  result.details.insert(result.details.begin(), result.summary);
  const bool is_too_much = result.defect && result.defect->kind == DefectKind::too_many_accesses;
  for (const Loop& loop : loops) {
    const std::string endless = why_endless(code, loop, variables);
    const std::string why = !endless.empty() ? "does not end: " + endless
                            : is_too_much    ? why_repeated(code, loop, variables)
                                             : "";
    if (why.empty()) continue;
    if (endless.empty()) result.pattern = "repeated-work";
    result.line = loop.lines.first;
    result.source = line_of(code.whole(), result.line);
    result.summary = fmt::format("the loop in line {} {}", result.line, why);
    return;
  }
  if (is_too_much) return void(result.details.erase(result.details.begin()));
  const int line = !loops.empty() && loops.front().lines.has(result.line) ? loops.front().lines.first : 0;
  const std::string what = line > 0 ? "loop in line " + std::to_string(line) : "kernel";
  result.summary = "the " + what + " does not end within the time limit";
}

// Finds an index that is kept in a type that is too small for it.
Cause narrow_index(const Code& code, const std::vector<LocalVariable>& variables, std::size_t size) {
  static const std::map<std::string_view, std::uint64_t> types{{"short", 32'767},    {"char", 127},
                                                               {"int16_t", 32'767},  {"int8_t", 127},
                                                               {"uint16_t", 65'535}, {"uint8_t", 255}};
  for (const LocalVariable& one : variables) {
    const auto type = types.find(code.text(one.at - 1));
    if (type == types.end() || !one.has_value || one.is_array) continue;
    const std::uint64_t most = one.type == "unsigned" ? 2 * type->second + 1 : type->second;
    if (most < size && has_word(code, "blockIdx", one.at, end_of_value(code, one.at + 2)))
      return at_line(code, one.at, "type-limit",
                     fmt::format("line {} keeps the index in a {}, which holds {} at most", code[one.at].line,
                                 type->first, grouped(most)));
  }
  return std::nullopt;
}

// Finds threads that are counted in y alone, where blocks have one dimension.
Cause second_dimension(const Code& code) {
  Cause found;
  for (const std::size_t at : uses_between(code, "threadIdx", 1, code.size())) {
    const std::string text = fmt::format(
        "line {} uses threadIdx.y, which is 0 in every thread of a one-dimensional block", code[at].line);
    if (component_of(code, at, "threadIdx") == "x") return std::nullopt;
    if (component_of(code, at, "threadIdx") == "y" && !found) found = at_line(code, at, "wrong-index", text);
  }
  return found;
}

// Finds a guard that compares with the threads of a block, where only the first block has stored.
Cause guard_of_one_block(const Code& code, const CheckResult& result) {
  const std::vector<Difference>& wrong = result.first_differences;
  const bool fits = !wrong.empty() && wrong.front().is_poison && wrong.front().index - result.block_size <= 1;
  for (std::size_t at = 2; fits && at < code.size(); ++at) {
    const std::size_t other = code.text(at + 1) == "=" ? at + 2 : at + 1;
    const bool is_block = code.text(other) == std::to_string(result.block_size) ||
                          (component_of(code, other, "blockDim") == "x" && code.text(other + 3) != "*");
    if (code.text(at) != "<" || !code.is_word(at - 1) || code.text(at - 2) == "." || !is_block) continue;
    return at_line(
        code, at, "constant-for-size",
        fmt::format("line {} compares '{}' with the threads of one block", code[at].line, code.text(at - 1)));
  }
  return std::nullopt;
}

// Finds the sizeof of a pointer, which is no array.
Cause size_of_pointer(const Code& code, const std::vector<LocalVariable>& variables) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t name = code.text(at + 1) == "(" ? at + 2 : at + 1;
    const std::string_view behind = code.text(name + 1);
    if (code.text(at) != "sizeof" || !code.is_word(name) || behind == "[" || behind == ".") continue;
    const auto local = std::ranges::find(variables, code.text(name), &LocalVariable::name);
    if (local != variables.end() ? !local->is_pointer || local->is_array
                                 : !source::is_pointer_parameter(code, code.text(name)))
      continue;
    return at_line(code, at, "sizeof-pointer",
                   fmt::format("line {} takes the sizeof of '{}', a pointer: that is 8 bytes, however many "
                               "elements it points to",
                               code[at].line, code.text(name)));
  }
  return std::nullopt;
}

Cause cause_of_wrong_result(const Lesson& lesson, const Code& code,
                            const std::vector<LocalVariable>& variables, const CheckResult& result) {
  const bool is_real = has_only_real_numbers(lesson), has_size = lesson.has_size();
  for (const Cause& cause :
       {unset_local(code, variables), size_of_pointer(code, variables),
        narrow_index(code, variables, result.size),
        has_size ? guard_of_one_block(code, result) : std::nullopt, private_array(code, variables),
        is_real ? sum_in_an_int(code, variables) : std::nullopt, index_in_grid(code),
        has_size ? second_dimension(code) : std::nullopt})
    if (cause) return cause;
  return overwritten_sum(code, variables);
}

// Returns the name of a kernel's last parameter, if nothing uses it; empty otherwise.
std::string unused_last_parameter(const Code& code) {
  std::size_t at = 0;
  while (at < code.size() && code.text(at) != "__global__") ++at;
  while (at < code.size() && (code.text(at) != "(" || code.text(at - 1).starts_with("__"))) ++at;
  const std::string_view name = code.matching(at) < code.size() ? code.text(code.matching(at) - 1) : "";
  return std::ranges::count(code.tokens(), name, &source::CodeToken::text) == 1 ? std::string(name) : "";
}

// Returns whether a kernel that takes the number for the size does this.
bool fits_number(const CheckResult& result, std::size_t number) {
  const std::string& pattern = result.pattern;
  if (result.line > 0) return pattern.starts_with("out-of-bounds") || pattern.starts_with("uninitialised");
  const std::vector<Difference>& wrong = result.first_differences;
  const bool is_unwritten = !wrong.empty() && wrong.front().is_poison;
  return number < result.size && (!is_unwritten || wrong.front().index - number <= 1);
}

}  // namespace

void blame(const CheckPlace& cause, const Code& code, CheckResult& result) {
  result.pattern = cause.pattern;
  const bool is_all =
      result.summary.empty() || (result.verdict == Verdict::does_not_compile && cause.line == result.line);
  result.summary = is_all ? cause.text : cause.text + "; " + result.summary;
  result.line = cause.line;
  result.source = line_of(code.whole(), cause.line);
  result.where.clear();
}

bool name_slip(const Code& code, CheckResult& result) {
  if (result.verdict == Verdict::right || result.verdict == Verdict::not_checked) return false;
  for (std::size_t at = 0; at < code.size(); ++at)
    if (const Cause slip = slip_at(code, at)) return blame(*slip, code, result), true;
  return false;
}

bool name_cause(const Lesson& lesson, const Code& code, const Explanation* wrong, CheckResult& result) {
  if (result.verdict == Verdict::right) return false;
  if (name_slip(code, result)) return true;
  const std::vector<LocalVariable> variables = source::local_variables(code);
  if (result.pattern == name_of(DefectKind::time_limit)) {
    name_endless_loop(code, variables, result);
    return true;
  }
  const Cause cause = wrong ? cause_of_wrong_result(lesson, code, variables, result)
                      : result.pattern.starts_with("out-of-bounds")
                          ? narrow_index(code, variables, result.size)
                          : std::nullopt;
  if (!cause) return false;
  if (wrong && !wrong->fact.empty()) result.summary = wrong->fact;
  blame(*cause, code, result);
  return true;
}

std::string unset_variable_in(const Code& code) {
  const Cause cause = unset_local(code, source::local_variables(code));
  return cause ? cause->text : "";
}

bool name_constant_for_size(const Lesson& lesson, const Code& code, CheckResult& result) {
  constexpr std::uint64_t least = 100, most = std::uint64_t{1} << 24;
  const std::uint64_t number = largest_number_in(code.whole(), most);
  const int line = number < least ? 0 : line_with_limit(lesson, code.whole(), number);
  const std::string size = unused_last_parameter(code);
  if (!lesson.has_size() || line == 0 || number == result.block_size || size.empty()) return false;
  if (!fits_number(result, number)) return false;
  blame({.line = line,
         .pattern = "constant-for-size",
         .text = fmt::format("line {} has the number {}, and nothing uses {}", line, grouped(number), size)},
        code, result);
  return true;
}

}  // namespace gpulab::check
