#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

#include "check/causes.hpp"
#include "source/shared_arrays.hpp"

namespace gpulab::check {

// Conditions that let the wrong threads through, or are missing.

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value;

bool is_compared_before(const Code& code, std::size_t use, std::size_t begin) {
  for (std::size_t at = begin; at < use; ++at) {
    const std::size_t close = code.text(at) == "if" ? code.matching(at + 1) : use;
    if (close < use && source::end_of_statement(code, at) > use &&
        !source::uses_between(code, code.text(use), at, close).empty() &&
        (has_symbol(code, "<", at, close) || has_symbol(code, ">", at, close)))
      return true;
  }
  return false;
}

namespace {

// Returns the "(" of the `if` whose body begins with the statement around the token. Returns code.size() if
// there is no such `if`, or if it has an `else`.
std::size_t condition_before(const Code& code, std::size_t at) {
  while (at > 0 && !begins_statement(code, at)) --at;
  const std::size_t closing = code.text(at - 1) == "{" ? at - 2 : at - 1;
  const std::size_t open = at > 2 && code.text(closing) == ")" ? code.matching(closing) : code.size();
  if (open == 0 || open >= at || code.text(open - 1) != "if") return code.size();
  return code.text(source::end_of_statement(code, closing + 1)) == "else" ? code.size() : open;
}

// Returns whether the condition chooses threads by their index, and does not test whether an element exists.
bool chooses_threads(const Code& code, std::size_t open) {
  for (std::size_t at = open; at < code.matching(open); ++at)
    if (source::is_operation(code, at, "==") || code.text(at) == "%" || code.text(at) == "threadIdx")
      return true;
  return false;
}

std::string condition_text(const Code& code, std::size_t open) {
  return source::in_one_line(code, open + 1, code.matching(open));
}

// Returns the "(" of the first "if (name)" from that token on; code.size() if there is none.
std::size_t first_condition(const Code& code, std::string_view name, std::size_t at) {
  while (at < code.size() && (code.text(at) != "if" || code.text(at + 2) != name || code.text(at + 3) != ")"))
    ++at;
  return at < code.size() ? at + 1 : at;
}

// Returns the "(" of the if whose condition is the comparison between these tokens, or a bool that has it as
// its value: bool ok = i < size; if (ok). Returns code.size() if there is none.
std::size_t condition_with(const Code& code, const Variables& variables, std::size_t begin, std::size_t end) {
  if (code.text(begin - 1) == "(" && code.text(begin - 2) == "if" && code.text(end) == ")") return begin - 1;
  const auto flag = std::ranges::find_if(variables, [&](const LocalVariable& local) {
    return local.type == "bool" && local.at + 2 == begin && end_of_value(code, begin) == end;
  });
  return flag == variables.end() ? code.size() : first_condition(code, flag->name, end);
}

}  // namespace

Cause inverted_guard(const Code& code, const Variables& variables) {
  const std::string_view size = last_parameter(code);
  for (std::size_t at = 2; at < code.size(); ++at) {  // if (!has_element)
    const LocalVariable* const flag =
        code.text(at) == "!" ? initialized_variable(code, variables, at + 1) : nullptr;
    const std::size_t end = flag ? end_of_value(code, flag->at + 2) : 0,
                      after = source::end_of_statement(code, at - 2);
    if (flag && code.text(at - 2) == "if" && code.text(at + 2) == ")" && code.text(after) != "else" &&
        !has_word(code, "return", at, after) && end == flag->at + 5 && code.text(end - 2) == "<" &&
        code.text(end - 1) == size)
      return at_line(code, at, "inverted-condition",
                     fmt::format("line {} lets the threads through in which {} is false, and the elements "
                                 "are where it is true: leave out the !",
                                 code[at].line, flag->name));
  }
  for (std::size_t at = 3; !size.empty() && at < code.size(); ++at) {
    if (code.text(at) != "<" && code.text(at) != ">") continue;
    const std::size_t right = code.text(at + 1) == "=" ? at + 2 : at + 1;
    const bool is_size_first = code.text(at - 1) == size;
    const std::size_t index = is_size_first ? right : at - 1;
    const std::size_t condition = condition_with(code, variables, at - 1, right + 1);
    if (condition == code.size() || code.text(is_size_first ? at - 1 : right) != size ||
        !code.is_word(index) || !depends_on(code, variables, "threadIdx", index, index + 1))
      continue;
    const std::size_t end = source::end_of_statement(code, condition - 1);
    const std::size_t body = code.after_bracket(condition), first = code.text(body) == "{" ? body + 1 : body;
    const bool holds_above = (code.text(at) == ">") != is_size_first;
    const bool returns = code.text(first) == "return" && code.text(first + 1) == ";";
    if (returns && !holds_above)
      return at_line(
          code, condition, "inverted-condition",
          fmt::format("line {0} returns where {1} < {2}, and those are the threads with an element: "
                      "return where {1} >= {2}",
                      code[condition].line, code.text(index), size));
    const bool uses_element = std::ranges::any_of(uses_between(code, code.text(index), body, end),
                                                  [&](std::size_t use) { return code.text(use - 1) == "["; });
    if (holds_above && uses_element && !has_word(code, "return", condition, end) && code.text(end) != "else")
      return at_line(
          code, at, "inverted-condition",
          fmt::format("line {0} lets {1} {3} {2} through, and the elements are where {1} < {2}",
                      code[at].line, code.text(index), size, code.text(at + 1) == "=" ? ">=" : ">"));
  }
  return std::nullopt;
}

Cause weak_guard(const Code& code) {
  const std::string_view size = last_parameter(code);
  // `at` is the token before the size in these guards:
  //   ( threadIdx . x < size
  //   if ( i > size ) return
  for (std::size_t at = 4; !size.empty() && at < code.size(); ++at) {
    const std::string_view before = code.text(at - 1), sign = code.text(at);
    if ((sign != "<" && sign != ">") || code.text(at + 1) != size) continue;
    const std::string_view before_thread = code.text(at - 4);
    const bool begins_operand = before_thread == "(" || before_thread == "&" || before_thread == "=";
    const bool is_block_index =
        sign == "<" && component_of(code, at - 3, "threadIdx") == "x" && begins_operand;
    const std::size_t body = code.text(at + 3) == "{" ? at + 4 : at + 3;
    const bool is_return =
        sign == ">" && code.text(at - 3) == "if" && code.text(at + 2) == ")" && code.text(body) == "return";
    std::string text;
    if (is_block_index)
      text = fmt::format("line {} compares {} with threadIdx.x, the index in the block, and not in the grid",
                         code[at].line, size);
    else if (is_return)
      text = fmt::format("line {0} lets the thread with {1} == {2} go on, and the last index is {2} - 1",
                         code[at].line, before, size);
    if (!text.empty()) return at_line(code, at, "", text);
  }
  return std::nullopt;
}

std::size_t unusual_guard(const Code& code, std::size_t store) {
  const auto compares_with_a_word = [&](std::size_t open, std::string_view sign, std::size_t length) {
    return code.text(open + 1) == code.text(store + 2) && code.text(open + 2) == sign &&
           code.matching(open) == open + 3 + length;
  };
  const std::size_t around = condition_before(code, store);
  if (around < code.size() && !compares_with_a_word(around, "<", 1)) return around;
  std::size_t found = code.size();
  for (std::size_t at = function_around(code, store).first; at < store; ++at) {
    const std::size_t end = code.text(at) == "if" ? source::end_of_statement(code, at) : code.size();
    if (end > store || !source::has_word(code, "return", at, end) || compares_with_a_word(at + 1, ">", 2))
      continue;
    if (found < code.size()) return code.size();
    found = at + 1;
  }
  return found;
}

std::size_t number_at(const Code& code, std::size_t at, unsigned block_size) {
  if (component_of(code, at, "blockDim") == "x") return block_size;
  const bool is_number = code[at].kind == source::TokenKind::number;
  return is_number ? std::strtoul(std::string(code.text(at)).c_str(), nullptr, 0) : 0;
}

Cause guard_before_last(const Code& code, const CheckResult& result) {
  const auto& differences = result.first_differences;
  if (differences.empty()) return std::nullopt;
  const std::size_t first = differences.front().index;
  const std::string_view size = last_parameter(code);
  for (std::size_t at = 1; !size.empty() && at + 3 < code.size(); ++at) {
    // i < size - 1, or i < size - blockDim . x: `at` is the <.
    const std::size_t subtracted = number_at(code, at + 3, result.block_size);
    if (code.text(at) == "<" && code.text(at + 1) == size && code.text(at + 2) == "-" && subtracted > 0 &&
        first + subtracted == result.size && code.is_word(at - 1))
      return at_line(
          code, at, "unwritten-tail",
          fmt::format("line {0} lets no thread through from {1} - {2} on, and the last element is "
                      "{1} - 1: write {3} < {1}",
                      code[at].line, size, code.text_between(at + 3, code.is_word(at + 3) ? at + 6 : at + 4),
                      code.text(at - 1)));
  }
  return std::nullopt;
}

Cause guarded_bins(const Code& code, const Variables& variables) {
  const std::string_view size = last_parameter(code);
  for (std::size_t name = 1; !size.empty() && name < code.size(); ++name) {  // name [ threadIdx . x ]
    if (!is_shared_element(code, variables, name) || source::use_at(code, name) == VariableUse::set) continue;
    const std::size_t open = condition_before(code, name);
    const std::string_view item = code.text(open + 1);
    const bool compares_with_size = open < code.size() && code.text(open + 2) == "<" &&
                                    code.text(open + 3) == size && code.text(open + 4) == ")";
    const std::size_t statement = code.matching(open) + 1, end = source::end_of_statement(code, statement);
    if (!compares_with_size || source::has_word(code, item, statement, end) ||
        component_of(code, name + 2, "threadIdx") != "x" || code.text(name + 5) != "]")
      continue;
    return at_line(code, name, "too-few",
                   fmt::format("line {} takes {} only in threads with {}, so the last block leaves out the "
                               "places of its other threads",
                               code[name].line, code.text_between(name, code.after_bracket(name + 1)),
                               condition_text(code, open)));
  }
  return std::nullopt;
}

Cause conditional_store(const Code& code, const Variables& variables, const Defect& defect) {
  const std::string array = source::with_dynamic_name(defect, code).memory.variable;
  std::size_t store = code.size(), stores = 0;
  for (const std::size_t use : source::uses_between(code, array, 0, code.size()))
    if (is_shared_element(code, variables, use) && source::use_at(code, use) == VariableUse::set) {
      store = use;
      ++stores;
    }
  const std::size_t open = stores == 0 ? code.size() : condition_before(code, store);
  const bool is_dynamic = stores > 0 && array != defect.memory.variable;
  const auto is_one_of_block = [&](const LocalVariable& local) {  // const int ty = threadIdx.y;
    return local.has_initializer && code.text(local.at - 2) != "(" &&
           component_of(code, local.at + 2, "threadIdx") != "" && code.text(local.at + 5) == ";" &&
           has_word(code, local.name, store, end_of_element(code, store));
  };
  const bool has_loop = !source::loops_around(code, {code[std::min(store, code.size() - 1)].line}).empty();
  for (std::size_t at = 0; is_dynamic && stores > 1 && !has_loop && at < store; ++at)
    if (code.text(at) == "if" && component_of(code, at + 2, "threadIdx") == "x" &&
        source::end_of_statement(code, at) > store)
      return at_line(code, at, "uninitialised-shared",
                     fmt::format("the if in line {} lets each thread fill one more place of '{}', so never "
                                 "more than the block has threads: write a loop",
                                 code[at].line, array));
  if (stores == 1 && is_dynamic &&
      (has_loop ? std::ranges::any_of(variables, is_one_of_block)
                : depends_on(code, variables, "threadIdx", store, end_of_element(code, store))))
    return at_line(
        code, store, "uninitialised-shared",
        fmt::format("line {} fills one place of '{}' for each thread, and no loop fills the others",
                    code[store].line, array));
  if (stores != 1 || open >= code.size() || chooses_threads(code, open)) return std::nullopt;
  return at_line(code, store, "uninitialised-shared",
                 fmt::format("line {} stores in '{}' only if {}, and nothing is stored there otherwise",
                             code[store].line, array, condition_text(code, open)));
}

namespace {

// Returns whether a condition may keep some threads away from the store.
bool may_be_guarded(const Code& code, const Variables& variables, std::size_t store) {
  for (std::size_t at = store; at < code.after_bracket(store + 1); ++at) {
    const source::LocalVariable* const local = initialized_variable(code, variables, at);
    const std::size_t end = local ? source::end_of_value(code, local->at + 2) : 0;
    if (local && (has_symbol(code, "?", local->at, end) || source::has_word(code, "min", local->at, end)))
      return true;
  }
  for (std::size_t at = function_around(code, store).first; at < store; ++at) {
    const std::string_view word = code.text(at);
    const bool is_if = word == "if";
    if (!is_if && word != "for" && word != "while") continue;
    const std::size_t end = source::end_of_statement(code, at);
    const bool decides_store = store < end || (is_if && source::has_word(code, "return", at, end));
    if (decides_store && !is_if) return true;
    for (std::size_t inner = at + 2; decides_store && inner < code.matching(at + 1); ++inner)
      if (code.text(inner) == "threadIdx" || initialized_variable(code, variables, inner)) return true;
  }
  return false;
}

}  // namespace

Cause missing_guard(const Code& code, const Variables& variables, int line) {
  for (std::size_t name = 0; name < code.size(); ++name) {
    const std::size_t end = code.after_bracket(name + 1);
    if (code[name].line != line || code.text(name + 1) != "[" ||
        source::use_at(code, name) != VariableUse::set ||
        !source::is_pointer_parameter(code, code.text(name)))
      continue;
    if (has_symbol(code, "*", name, end) && has_symbol(code, "+", name, end) &&
        depends_on(code, variables, "threadIdx", name, end) && !may_be_guarded(code, variables, name))
      return at_line(code, name, "no-guard",
                     fmt::format("no condition keeps threads without an element away from line {}", line));
  }
  return std::nullopt;
}

Cause limit_of_guard(const Code& code, const Variables& variables, const Defect& defect) {
  const bool is_past_end = defect.kind == DefectKind::out_of_bounds && defect.memory.begin > 0 &&
                           defect.address >= defect.memory.begin + defect.memory.bytes;
  std::size_t store = code.size();
  std::string_view index;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].line != defect.party.line || !source::is_pointer_parameter(code, code.text(at))) continue;
    const bool is_other_index = !index.empty() && code.text(at + 2) != index;
    if (code.text(at + 1) != "[" || code.text(at + 3) != "]" || is_other_index) return std::nullopt;
    index = code.text(at + 2);
    store = at;
  }
  const std::size_t open = is_past_end && store < code.size() ? condition_before(code, store) : code.size();
  const bool is_flag = code.matching(open) == open + 2;
  const bool is_below =
      code.text(open + 1) == index && code.text(open + 2) == "<" && code.matching(open) == open + 4;
  const LocalVariable* const limit =
      is_flag || is_below ? initialized_variable(code, variables, is_flag ? open + 1 : open + 3) : nullptr;
  const auto changes = [&](std::size_t use) { return source::use_at(code, use) != VariableUse::read; };
  const std::size_t end_of_flag = is_flag && limit ? end_of_value(code, limit->at + 2) : 0;
  const bool is_of_index = !is_flag || !limit || has_word(code, index, limit->at, end_of_flag) ||
                           end_of_flag == limit->at + 3;  // bool has_element = true
  const std::size_t end_of_limit = limit && !is_flag ? end_of_value(code, limit->at + 2) : 0;
  const bool is_difference =  // of variables, one of which may be wrong
      has_symbol(code, "-", limit ? limit->at : 0, end_of_limit) &&
      std::ranges::any_of(variables, [&](const LocalVariable& local) {
        return has_word(code, local.name, limit->at + 1, end_of_limit);
      });
  if (!limit || !is_of_index || is_difference ||
      std::ranges::any_of(source::uses_between(code, limit->name, limit->at + 1, limit->scope_end), changes))
    return std::nullopt;
  return at_line(code, limit->at, "",
                 fmt::format("with the '{}' of line {}, line {} lets threads through that have no element",
                             limit->name, code[limit->at].line, code[open].line));
}

namespace {

// Returns whether a variable is an index in the grid, and used in indices of arrays alone.
bool is_index_alone(const Code& code, const LocalVariable& index) {
  const std::size_t end = end_of_value(code, index.at + 2);
  if (!has_word(code, "threadIdx", index.at, end) || !has_word(code, "blockIdx", index.at, end)) return false;
  const std::vector<std::size_t> uses = source::uses_between(code, index.name, index.at + 1, index.scope_end);
  return std::ranges::all_of(uses, [&](std::size_t use) {
    for (std::size_t at = use; at > index.at && code.text(at) != ";"; --at)
      if (code.text(at) == "[" && code.matching(at) > use) return true;
    return false;
  });
}

}  // namespace

Cause sum_added_by_all_threads(const Code& code, const Variables& variables, const CheckResult& result) {
  const auto is_chosen = [&](std::size_t kernel, std::size_t token) {
    for (std::size_t at = kernel; at < token; ++at)
      if (code.text(at) == "if" && source::end_of_statement(code, at) > token &&
          depends_on(code, variables, "threadIdx", at, code.after_bracket(at + 1)))
        return true;
    return false;
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    const auto [added, end] = source::argument_tokens(code, at, 1);
    const std::size_t kernel = function_around(code, at).first;
    if (code.text(at) != "atomicAdd" || end != added + 4 || !is_shared_element(code, variables, added) ||
        code[added + 2].kind != source::TokenKind::number || has_word(code, "return", kernel, at) ||
        is_chosen(kernel, at) || !source::loops_around(code, {code[at].line}).empty())
      continue;
    const bool is_race = result.defect && result.defect->other;
    if (is_race && code[at].line != std::max(result.defect->party.line, result.defect->other->line)) continue;
    return at_line(code, at, is_race ? "counted-twice" : result.pattern.c_str(),
                   fmt::format("every thread of a block adds {} in line {}, and one of them should",
                               code.text_between(added, end), code[at].line));
  }
  return std::nullopt;
}

Cause uncompared_index(const Code& code, const Variables& variables, int line) {
  for (const LocalVariable& index : variables) {
    if (!index.has_initializer || !is_index_alone(code, index)) continue;
    for (const std::size_t use : source::uses_between(code, index.name, index.at + 1, index.scope_end))
      if (code[use].line == line || line == any_line)
        return at_line(code, use, "no-guard",
                       fmt::format("nothing compares '{}' of line {} with a limit, so line {} also runs in "
                                   "threads that are beyond it",
                                   index.name, code[index.at].line, code[use].line));
  }
  return std::nullopt;
}

Cause single_ampersand(const Code& code, int line) {
  // An & after one of these takes an address, or belongs to an &&.
  constexpr std::string_view before_address = "(,=&|!<>?:+-*";
  for (std::size_t at = 1; at < code.size(); ++at) {
    if (code[at].line != line || (code.text(at) != "if" && code.text(at) != "while")) continue;
    const std::size_t end = code.matching(at + 1);
    bool is_compared = false;
    for (std::size_t sign = at + 2; sign < end; ++sign) {
      is_compared |= source::compares(code, sign);
      if (code.text(sign) == "&" && code.text(sign + 1) != "&" && code.text(sign + 1) != "=" &&
          before_address.find(code.text(sign - 1)) == std::string_view::npos && is_compared &&
          has_symbol(code, "[", sign, end))
        return at_line(
            code, sign, "bitwise-and",
            fmt::format("line {} has & where && is needed: with &, the index after it is used even "
                        "if the condition before it does not hold",
                        line));
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::check
