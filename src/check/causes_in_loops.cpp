#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"
#include "check/causes.hpp"
#include "source/shared_arrays.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Loops in the text of a kernel that do not end, do too much, or lose what they have added.

using source::Code, source::LocalVariable, source::Loop, source::VariableUse, source::end_of_value,
    source::is_operation, source::use_at, source::uses_between;

namespace {

// Finds an element of a shared array that a loop replaces by another element, where it should add that.
Cause overwritten_element(const Code& code, const Variables& variables) {
  for (const Loop& loop : source::all_loops(code))
    for (const LocalVariable& array : variables) {
      if (!array.is_array || !array.is_shared) continue;
      for (const std::size_t use : uses_between(code, array.name, loop.condition_end, loop.end)) {
        const std::size_t replacement = end_of_element(code, use) + 1;
        if (use_at(code, use) != VariableUse::set || code.text(replacement) != array.name ||
            code.text(end_of_element(code, replacement)) != ";" || is_compared_before(code, use, loop.begin))
          continue;
        return at_line(
            code, use, "overwritten-sum",
            fmt::format("line {} replaces an element of '{}' by another one in each iteration of the "
                        "loop in line {}, where it should add: write +=",
                        code[use].line, array.name, loop.lines.first));
      }
    }
  return std::nullopt;
}

}  // namespace

std::size_t end_of_if_around(const Code& code, std::size_t begin, std::size_t token) {
  for (std::size_t at = begin; at < token; ++at) {
    if (code.text(at) != "if") continue;
    std::size_t end = source::end_of_statement(code, at);
    while (code.text(end) == "else") end = source::end_of_statement(code, end + 1);
    if (end > token) return end;
  }
  return 0;
}

Cause overwritten_sum(const Code& code, const Variables& variables) {
  constexpr std::size_t max_assignments = 100;  // limits the time; no learner's kernel has more
  for (std::size_t examined = 0; const LocalVariable& local : variables)
    for (const std::size_t set : uses_between(code, local.name, local.at + 1, local.scope_end)) {
      if (local.is_array || local.is_pointer || use_at(code, set) != VariableUse::set) continue;
      if (++examined > max_assignments) return std::nullopt;
      const std::vector<Loop> loops = source::loops_around(code, {code[set].line});
      const auto inner = std::find_if(loops.rbegin(), loops.rend(),
                                      [&](const Loop& loop) { return loop.begin < set && set < loop.end; });
      if (inner == loops.rend() || inner->begin < local.at || set < inner->condition_end) continue;
      const std::vector<std::size_t> uses = uses_between(code, local.name, inner->begin, inner->end);
      const auto is_addition = [&](std::size_t use) { return use_at(code, use) == VariableUse::changed; };
      const std::ptrdiff_t additions = std::ranges::count_if(uses, is_addition);
      const bool is_read_only_after_loop = std::ssize(uses) == additions + 1 &&  // besides the assignment
                                           has_word(code, local.name, inner->end, local.scope_end);
      const bool sets_term = has_symbol(code, "[", set, end_of_value(code, set + 2)) &&
                             end_of_if_around(code, inner->begin, set) == 0;
      if (!is_read_only_after_loop || (additions == 0 && !sets_term)) continue;
      return at_line(code, set, "overwritten-sum",
                     fmt::format("line {} sets '{}' anew in each iteration of the loop in line {}, {}",
                                 code[set].line, local.name, inner->lines.first,
                                 additions > 0 ? "so what the iterations before have added is lost"
                                               : "where it should add, so only the last iteration counts"));
    }
  return overwritten_element(code, variables);
}

Cause shadowing_variable(const Code& code, const Variables& variables) {
  const auto is_read = [&](std::string_view name, std::size_t begin, std::size_t end) {
    return std::ranges::any_of(uses_between(code, name, begin, end), [&](std::size_t use) {
      return use_at(code, use) == VariableUse::read || use_at(code, use) == VariableUse::unknown;
    });
  };
  for (const LocalVariable& inner : variables) {
    if (source::is_pointer_parameter(code, inner.name) &&
        code.text(function_around(code, inner.at).first) == "__global__")
      return at_line(
          code, inner.at, "second-variable",
          fmt::format("line {} declares a second '{}', which hides the parameter of that name: store in "
                      "an element of the parameter",
                      code[inner.at].line, inner.name));
    for (const LocalVariable& outer : variables) {
      const std::size_t head = code.text(inner.at - 3) == "for" ? code.matching(inner.at - 2) : 0;
      if (inner.name == outer.name && outer.at < inner.at && head < outer.scope_end &&
          has_word(code, last_parameter(code), inner.at, head) &&
          depends_on(code, variables, "threadIdx", outer.at + 1, end_of_value(code, outer.at + 2)) &&
          !depends_on(code, variables, "threadIdx", inner.at, head))
        return at_line(
            code, inner.at, "second-variable",
            fmt::format("line {} declares a second '{}', which hides that of line {} and is the same in "
                        "every thread: leave this loop out, or give its counter another name",
                        code[inner.at].line, inner.name, code[outer.at].line));
      const bool is_whole_body = code.text(inner.at - 2) == ")" || code.text(inner.at - 2) == "else";
      const std::size_t end = is_whole_body ? end_of_value(code, inner.at) : inner.scope_end;
      const bool is_outer_read = is_read(outer.name, end, outer.scope_end);
      if (inner.name != outer.name || outer.at >= inner.at || end >= outer.scope_end || inner.is_array ||
          inner.is_shared || inner.is_pointer || is_read(inner.name, inner.at + 1, end) ||
          (!is_outer_read && !is_whole_body))
        continue;
      if (!is_outer_read)
        return at_line(
            code, inner.at, "second-variable",
            fmt::format("line {} declares a second '{}', which ends with its statement, so nothing "
                        "reads it",
                        code[inner.at].line, inner.name));
      std::size_t read = end;
      while (code.text(read) != inner.name || use_at(code, read) == VariableUse::set) ++read;
      return at_line(
          code, inner.at, "second-variable",
          fmt::format(
              "line {} declares a second '{}', which hides that of line {} and ends with its block, and "
              "line {} reads that of line {}{}: leave out the type",
              code[inner.at].line, inner.name, code[outer.at].line, code[read].line, code[outer.at].line,
              outer.has_initializer ? "" : ", which has no value"));
    }
  }
  return std::nullopt;
}

namespace {

// Returns the variable that a for counts up by 1; empty if the loop does something else.
std::string_view counted_by_one(const Code& code, const Loop& loop) {
  if (code.text(loop.begin) != "for") return {};
  const std::size_t at = loop.condition_end + 1, end = code.matching(loop.begin + 1);
  if (is_operation(code, at, "++") && end == at + 3) return code.text(at + 2);
  const bool adds_1 = is_operation(code, at + 1, "+=") && code.text(at + 3) == "1" && end == at + 4;
  const bool increments = is_operation(code, at + 1, "++") && end == at + 3;
  return adds_1 || increments ? code.text(at) : std::string_view();
}

constexpr const char* advances_by_one =
    "begins at the thread's own element and advances by 1, so each thread comes to those of others, too";
constexpr const char* same_in_block =
    "begins and ends at the same element in every thread of a block, so each does the work of all";

// Returns whether the value is the index of a thread in its block or in the grid. If the value is a variable
// alone, looks at the variable's initializer.
bool is_index_of_thread(const Code& code, const Variables& variables, std::size_t begin, std::size_t end) {
  const LocalVariable* const local =
      end == begin + 1 ? initialized_variable(code, variables, begin) : nullptr;
  if (local) return source::is_index_of_thread(code, local->at + 2, end_of_value(code, local->at + 2));
  return source::is_index_of_thread(code, begin, end);
}

}  // namespace

Cause step_of_one(const Code& code, const Variables& variables) {
  for (const Loop& loop : source::all_loops(code)) {
    const std::string_view name = counted_by_one(code, loop);
    const auto variable = std::ranges::find_if(variables, [&](const LocalVariable& local) {
      const std::size_t begin = code.text(loop.begin + 2) == ";" ? 0 : loop.begin;  // for (; i < size; ++i)
      return local.name == name && begin < local.at && local.at < loop.condition &&
             loop.begin < local.scope_end;
    });
    if (name.empty() || variable == variables.end()) continue;
    const std::size_t limit = code.text(loop.condition) == name ? loop.condition + 1 : loop.condition;
    if (is_index_of_thread(code, variables, variable->at + 2, end_of_value(code, variable->at + 2)) &&
        !depends_on(code, variables, "threadIdx", limit, loop.condition_end))
      return at_line(code, loop.begin, "repeated-work",
                     fmt::format("the loop in line {} {}", loop.lines.first, advances_by_one));
    if (!has_word(code, "__syncthreads", loop.condition_end, loop.end)) continue;
    for (const std::size_t use : uses_between(code, name, loop.condition_end, loop.end))
      if ((code.text(use + 1) == "+" && source::is_thread_index(code, use + 2)) ||
          (use >= 4 && code.text(use - 1) == "+" && source::is_thread_index(code, use - 4)))
        return at_line(
            code, loop.begin, "counted-twice",
            fmt::format("the loop in line {} advances '{}' by 1, though each of its iterations takes one "
                        "element for each thread, {} + threadIdx in line {}",
                        loop.lines.first, name, name, code[use].line));
  }
  return std::nullopt;
}

Cause loop_beyond_array(const Code& code, const Defect& defect) {
  if (defect.kind != DefectKind::array_index && defect.kind != DefectKind::shared_out_of_bounds)
    return std::nullopt;
  const std::string array = source::with_dynamic_name(defect, code).memory.variable;
  std::size_t elements = 0;
  for (const source::SharedArray& shared : source::shared_arrays(code))
    if (shared.name == array && !shared.dimensions.empty()) elements = shared.dimensions.back();
  const bool is_dynamic = elements == 0 && defect.kind == DefectKind::shared_out_of_bounds;
  if (!is_dynamic && (elements == 0 || defect.index != static_cast<std::int64_t>(elements)))
    return std::nullopt;
  for (const Loop& loop : source::loops_around(code, {defect.party.line})) {
    const std::string_view name = is_dynamic ? code.text(loop.condition) : counted_by_one(code, loop);
    const bool is_below = code.text(loop.condition) == name && code.text(loop.condition + 1) == "<" &&
                          (is_dynamic || loop.condition_end == loop.condition + 3);
    if (!is_below) continue;
    for (const std::size_t use : uses_between(code, array, loop.condition_end, loop.end)) {
      const std::size_t last_index = end_of_element(code, use) - 2;
      if (code[use].line != defect.party.line || code.text(last_index) != name ||
          code.text(last_index - 1) != "[")
        continue;
      return at_line(code, loop.begin, "",
                     fmt::format("the loop in line {} goes on while {}, also beyond the {} of '{}'",
                                 loop.lines.first, code.text_between(loop.condition, loop.condition_end),
                                 is_dynamic ? "end" : grouped(elements) + " places", array));
    }
  }
  return std::nullopt;
}

Cause return_in_loop(const Code& code, const CheckResult& result) {
  for (const Loop& loop : source::all_loops(code)) {
    const auto [kernel, end] = function_around(code, loop.begin);
    std::size_t return_token = loop.condition_end;
    while (return_token < loop.end && code.text(return_token) != "return") ++return_token;
    if (code.text(kernel) != "__global__" || return_token == loop.end) continue;
    for (std::size_t at = loop.end; at < end; ++at)
      if (code.text(at + 1) == "[" && use_at(code, at) == VariableUse::set &&
          source::is_pointer_parameter(code, code.text(at)))
        return at_line(code, return_token, result.pattern.c_str(),
                       fmt::format("a thread that returns in line {} stores nothing in line {}",
                                   code[return_token].line, code[at].line));
  }
  return std::nullopt;
}

Cause private_sum(const Code& code, const Variables& variables) {
  for (const Loop& loop : source::all_loops(code)) {
    const std::size_t close = code.matching(loop.begin + 1);  // of "... half /= 2)"
    const bool is_tree = code.text(loop.begin) == "for" && code.text(close - 2) == "=" &&
                         code.text(close - 1) == "2" && has_word(code, "__syncthreads", loop.begin, loop.end);
    for (const LocalVariable& array : variables) {
      if (!is_tree || !array.is_array || !array.is_shared) continue;
      const std::vector<std::size_t> uses = uses_between(code, array.name, loop.condition_end, loop.end);
      if (uses.size() != 1 || use_at(code, uses[0]) != VariableUse::read) continue;
      for (const LocalVariable& sum : variables)
        if (code.text(uses[0] - 3) == sum.name && is_operation(code, uses[0] - 2, "+=") && !sum.is_shared &&
            has_word(code, "threadIdx", uses[0], end_of_element(code, uses[0])))
          return at_line(code, uses[0], "private-sum",
                         fmt::format("line {0} adds to '{1}', which only its own thread sees: '{2}' never "
                                     "changes in the loop of line {3}",
                                     code[uses[0]].line, sum.name, array.name, loop.lines.first));
    }
  }
  return std::nullopt;
}

Cause break_in_first_iteration(const Code& code, const CheckResult& result) {
  for (const Loop& loop : source::all_loops(code)) {
    if (code.text(loop.begin) == "do" || has_word(code, "continue", loop.condition_end, loop.end)) continue;
    for (std::size_t at = loop.condition_end; at < loop.end; ++at) {
      if (code.text(at) == "for" || code.text(at) == "while" || code.text(at) == "switch")
        at = source::end_of_statement(code, at) - 1;
      if (code.text(at) != "break" || end_of_if_around(code, loop.condition_end, at) > 0) continue;
      return at_line(code, at, result.pattern.c_str(),
                     fmt::format("the break in line {} belongs to no if, so the loop in line {} ends in its "
                                 "first iteration",
                                 code[at].line, loop.lines.first));
    }
  }
  return std::nullopt;
}

Cause unused_counter(const Code& code) {
  for (const Loop& loop : source::all_loops(code)) {
    const std::string_view counter = counted_by_one(code, loop);
    const std::size_t body = code.after_bracket(loop.begin + 1), first = body + (code.text(body) == "{");
    const std::size_t sign = end_of_element(code, first), end = end_of_value(code, sign + 2);
    if (counter.empty() || has_word(code, counter, body, loop.end) || !is_operation(code, sign, "+=") ||
        has_word(code, code.text(first), sign, end) || end + 1 + (first > body) != loop.end)
      continue;
    return at_line(code, first, "wrong-summand",
                   fmt::format("line {} does not use '{}', so each iteration of the loop adds the same",
                               code[first].line, counter));
  }
  return std::nullopt;
}

Cause off_by_one(const Code& code, const Variables& variables, int line) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].line != line) continue;
    const auto flag = std::ranges::find_if(variables, [&](const LocalVariable& local) {
      return local.name == code.text(at) && local.type == "bool" && local.has_initializer && local.at < at;
    });
    const bool is_flag = flag != variables.end();
    const std::size_t end = is_flag ? end_of_value(code, flag->at + 2) : at + 1;
    for (std::size_t sign = is_flag ? flag->at : at; sign < end; ++sign)
      if (is_operation(code, sign, "<=") && code.text(sign - 2) != "." && code.text(sign + 3) != "/") {
        std::size_t index = sign - 1;  // begins "i + j"
        while (is_one_of(code.text(index - 1), {"+", "-", "*"})) index -= 2;
        return at_line(
            code, sign, "",
            fmt::format("line {0} lets {1} <= {2} through, and the last index is {2} - 1", code[sign].line,
                        source::in_one_line(code, index, sign), code.text(sign + 2)));
      }
  }
  return std::nullopt;
}

namespace {

// Returns the uses of a loop's variable in its body, if one of them begins the index of a store.
std::vector<std::size_t> uses_over_elements(const Code& code, const Loop& loop) {
  const std::vector<std::string_view> names = source::variables_in_condition(code, loop);
  if (code.text(loop.begin) == "do" || names.empty()) return {};
  const std::vector<std::size_t> uses = uses_between(code, names[0], loop.condition_end, loop.end);
  const bool indexes_store = std::ranges::any_of(uses, [&](std::size_t use) {
    return code.text(use - 1) == "[" && is_plain_assignment(code, code.after_bracket(use - 1));
  });
  return indexes_store ? uses : std::vector<std::size_t>();
}

// Says that a loop over elements begins at the same element in every block, or in every thread; empty if each
// block begins at another element.
std::string why_same_begin(const Code& code, const Loop& loop, const Variables& variables) {
  const std::vector<std::string_view> names = source::variables_in_condition(code, loop);
  const bool is_set = !uses_between(code, names[0], loop.begin, loop.condition).empty();
  const std::size_t end = is_set ? loop.condition : loop.condition_end;
  const std::size_t begin = is_plain_assignment(code, loop.begin + 3) ? loop.begin + 4 : loop.begin;
  if (depends_on(code, variables, "blockIdx", begin, end)) return "";
  if (has_word(code, "gridDim", loop.condition_end, code.matching(loop.begin + 1)) &&
      depends_on(code, variables, "threadIdx", begin, end))
    return "advances by a whole grid, but begins at the same element in every block: begin at "
           "blockIdx.x * blockDim.x + threadIdx.x";
  if (has_word(code, "blockDim", loop.condition, loop.condition_end) && !counted_by_one(code, loop).empty() &&
      has_word(code, "__shared__", function_around(code, loop.begin).first, loop.begin))
    return same_in_block;
  return has_word(code, "blockDim", loop.condition, loop.condition_end)
             ? "begins and ends at the same element in every block, so each block does the work of the first"
         : depends_on(code, variables, "threadIdx", begin, end)
             ? "begins at the same element in every block, so each block does the work of all"
             : "begins at the same element in every thread, so each thread does the work of all";
}

// Says that a loop advances by less than the grid; empty if it does not.
std::string why_short_step(const Code& code, const Loop& loop, const Variables& variables,
                           const std::vector<std::size_t>& uses) {
  const bool begins_with_thread = depends_on(code, variables, "threadIdx", loop.begin, loop.condition) ||
                                  std::ranges::any_of(uses, [&](std::size_t at) {
                                    return code.text(at + 1) == "+" && use_at(code, at) == VariableUse::read;
                                  });
  for (const std::size_t at : uses) {
    const bool advances_by_blocks = code.text(at + 3) == "gridDim" && end_of_value(code, at + 3) == at + 6;
    if (advances_by_blocks && !begins_with_thread) return "";  // a block takes an element
    const bool is_step = use_at(code, at) != VariableUse::read && !advances_by_blocks;
    if (is_step && depends_on(code, variables, "gridDim", at, end_of_value(code, at))) return "";
  }
  return "does not advance by a whole grid, gridDim.x * blockDim.x, so blocks do each other's work again";
}

// Says why a loop over elements repeats the work of other threads; empty if its text does not show that.
std::string why_repeated(const Code& code, const Loop& loop, const Variables& variables) {
  const std::vector<std::size_t> uses = uses_over_elements(code, loop);
  if (has_word(code, "blockDim", loop.condition, loop.condition_end) && !counted_by_one(code, loop).empty() &&
      has_word(code, "blockIdx", loop.condition_end, loop.end) &&
      !depends_on(code, variables, "threadIdx", loop.begin, loop.end))
    return same_in_block;
  if (uses.empty()) return "";
  if (std::string same = why_same_begin(code, loop, variables); !same.empty()) return same;
  if (!counted_by_one(code, loop).empty()) return advances_by_one;
  return why_short_step(code, loop, variables, uses);
}

}  // namespace

Cause repeated_loop(const Code& code, const Variables& variables, int line) {
  for (const Loop& loop : line == any_line ? source::all_loops(code) : source::loops_around(code, {line})) {
    const std::size_t kernel = function_around(code, loop.begin).first;
    const bool is_over_size = has_word(code, last_parameter(code), loop.condition, loop.condition_end);
    if (line != any_line && is_over_size && counted_by_one(code, loop).empty() &&
        depends_on(code, variables, "blockIdx", loop.begin, loop.condition))
      if (const std::string why = why_repeated(code, loop, variables); !why.empty())
        return at_line(code, loop.begin, "repeated-work",
                       fmt::format("the loop in line {} {}", loop.lines.first, why));
    if (has_word(code, "blockIdx", kernel, loop.end) || uses_over_elements(code, loop).empty() ||
        (line == any_line && !is_over_size))
      continue;
    return at_line(
        code, loop.begin, "repeated-work",
        fmt::format("the loop in line {} {}", loop.lines.first, why_same_begin(code, loop, variables)));
  }
  return std::nullopt;
}

Cause loop_over_whole_input(const Code& code, const Variables& variables) {
  const std::string_view size = last_parameter(code);
  for (const Loop& loop : source::all_loops(code)) {
    const std::size_t kernel = function_around(code, loop.begin).first;
    const std::string_view name = code.text(loop.condition);
    const bool is_over_all = code.text(loop.condition + 1) == "<" && code.text(loop.condition + 2) == size &&
                             loop.condition_end == loop.condition + 3;
    const bool adds_bins = has_word(code, "atomicAdd", loop.condition_end, loop.end);
    const bool is_chosen = adds_bins ? end_of_if_around(code, kernel, loop.begin) > 0 ||
                                           has_word(code, "return", kernel, loop.begin)
                                     : has_word(code, "if", kernel, loop.begin);
    if (code.text(kernel) != "__global__" || !(is_over_all || adds_bins) || is_chosen ||
        source::loops_around(code, {loop.lines.first}).size() > 1)
      continue;
    // Each block may add all of its own bins, each thread may not.
    if (!is_over_all && depends_on(code, variables, "threadIdx", loop.begin, loop.condition_end)) continue;
    const std::vector<std::size_t> uses = uses_between(code, name, loop.condition_end, loop.end);
    const bool reads_element = std::ranges::any_of(uses, [&](std::size_t use) {
      return code.text(use - 1) == "[" && code.text(use + 1) == "]" &&
             (adds_bins || (use_at(code, use - 2) == VariableUse::read &&
                            source::is_pointer_parameter(code, code.text(use - 2))));
    });
    const bool is_of_block = adds_bins && depends_on(code, variables, "blockIdx", loop.begin, loop.end);
    const bool is_of_thread = is_of_block && depends_on(code, variables, "threadIdx", loop.begin, loop.end);
    if (is_of_thread && !is_over_all) continue;
    const std::string same = !reads_element ? ""
                             : is_of_thread ? why_short_step(code, loop, variables, uses)
                             : is_of_block  ? "takes the same elements in every thread of a block, as "
                                              "threadIdx is not in it, so each of them adds these again"
                                            : why_same_begin(code, loop, variables);
    if (!same.empty())
      return at_line(code, loop.begin, "repeated-work",
                     fmt::format("the loop in line {} {}", loop.lines.first, same));
  }
  return std::nullopt;
}

void name_endless_loop(const Code& code, const Variables& variables, CheckResult& result) {
  std::vector<Loop> loops = source::loops_around(code, {result.line});
  std::ranges::reverse(loops);
  // An empty loop makes no access, so the result has only the kernel's first line: any loop may be endless.
  if (loops.empty()) loops = source::all_loops(code);
  result.details.insert(result.details.begin(), result.summary);
  const bool has_too_many_accesses = result.defect && result.defect->kind == DefectKind::too_many_accesses;
  for (const Loop& loop : loops) {
    const std::string endless = source::why_endless(code, loop, variables);
    const std::string why = !endless.empty()        ? "does not end: " + endless
                            : has_too_many_accesses ? why_repeated(code, loop, variables)
                                                    : "";
    if (why.empty()) continue;
    if (endless.empty()) result.pattern = "repeated-work";
    result.line = loop.lines.first;
    result.source = line_of(code.whole(), result.line);
    result.summary = fmt::format("the loop in line {} {}", result.line, why);
    return;
  }
  if (has_too_many_accesses) return void(result.details.erase(result.details.begin()));
  const int line = !loops.empty() && loops.front().lines.has(result.line) ? loops.front().lines.first : 0;
  const std::string loop_or_kernel = line > 0 ? "loop in line " + std::to_string(line) : "kernel";
  result.summary =
      fmt::format("the {} does not end within the time limit; {}", loop_or_kernel, result.details.front());
  result.details.erase(result.details.begin());
}

}  // namespace gpulab::check
