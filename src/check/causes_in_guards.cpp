#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

#include "check/causes.hpp"
#include "source/shared_arrays.hpp"

namespace gpulab::check {

// Conditions that let the wrong threads through, or are missing.

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value;

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

// Returns whether that token is the < of "if (i < size) return;", where i depends on threadIdx.
bool returns_below(const Code& code, const Variables& variables, std::size_t at, std::string_view size) {
  const std::size_t then = code.text(at + 3) == "{" ? at + 4 : at + 3;
  return at > 2 && !size.empty() && code.text(at - 3) == "if" && code.text(at - 2) == "(" &&
         code.text(at) == "<" && code.text(at + 1) == size && code.text(at + 2) == ")" &&
         code.text(then) == "return" && code.text(then + 1) == ";" &&
         depends_on(code, variables, "threadIdx", at - 1, at);
}

}  // namespace

Cause inverted_guard(const Code& code, const Variables& variables) {
  const std::string_view size = last_parameter(code);
  for (std::size_t at = 1; at < code.size(); ++at) {
    const std::size_t limit = code.text(at + 1) == "=" ? at + 2 : at + 1;  // of "index > limit", or of >=
    if (returns_below(code, variables, at, size))
      return at_line(
          code, at, "inverted-condition",
          fmt::format("line {0} returns where {1} < {2}, and those are the threads with an element: "
                      "return where {1} >= {2}",
                      code[at].line, code.text(at - 1), size));
    if (code.text(at) != ">" || size.empty() || code.text(limit) != size || !code.is_word(at - 1)) continue;
    const std::string_view index = code.text(at - 1), before = code.text(at - 2);
    // The comparison is the condition of an if, or the value of a bool that is one: bool ok = index > limit;
    const auto flag = std::ranges::find_if(variables, [&](const LocalVariable& local) {
      const std::size_t value = local.at + 2;
      return local.type == "bool" && value == at - 1 && end_of_value(code, value) == limit + 1;
    });
    const bool is_if = before == "(" && code.text(at - 3) == "if" && code.text(limit + 1) == ")";
    std::size_t condition = code.size();
    if (is_if)
      condition = at - 2;
    else if (flag != variables.end())
      condition = first_condition(code, flag->name, limit);
    if (condition == code.size() ||
        has_word(code, "return", condition, source::end_of_statement(code, condition - 1)) ||
        !depends_on(code, variables, "threadIdx", at - 1, at))
      continue;
    return at_line(code, at, "inverted-condition",
                   fmt::format("line {0} lets {1} > {2} through, and the elements are where {1} < {2}",
                               code[at].line, index, size));
  }
  return std::nullopt;
}

std::size_t unusual_guard(const Code& code, std::size_t store) {
  const std::size_t open = condition_before(code, store);
  if (open == code.size()) return open;
  const bool is_usual = code.text(open + 1) == code.text(store + 2) && code.text(open + 2) == "<" &&
                        code.matching(open) == open + 4;
  return is_usual ? code.size() : open;
}

namespace {

// Returns the number at that token, or the block size for blockDim.x; 0 for anything else.
std::size_t number_at(const Code& code, std::size_t at, unsigned block_size) {
  if (component_of(code, at, "blockDim") == "x") return block_size;
  const bool is_number = code[at].kind == source::TokenKind::number;
  return is_number ? std::strtoul(std::string(code.text(at)).c_str(), nullptr, 0) : 0;
}

}  // namespace

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
  for (const source::Loop& loop : source::all_loops(code))
    if (first > 0 && code.text(loop.condition + 1) == "<" && loop.condition_end == loop.condition + 3 &&
        number_at(code, loop.condition + 2, 0) == first)
      return at_line(code, loop.begin, "unwritten-tail",
                     fmt::format("the loop in line {} goes on while {} only", loop.lines.first,
                                 code.text_between(loop.condition, loop.condition_end)));
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
  const std::size_t open = stores == 1 ? condition_before(code, store) : code.size();
  if (open >= code.size() || chooses_threads(code, open)) return std::nullopt;
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
  std::size_t kernel = store;
  while (kernel > 0 && code.text(kernel) != "__global__") --kernel;
  for (std::size_t at = kernel; at < store; ++at) {
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

Cause quotient_for_remainder(const Code& code, const Variables& variables) {
  const auto is_integer = [&](std::size_t at) {
    const source::LocalVariable* const local = initialized_variable(code, variables, at);
    return local && !local->is_pointer && local->type != "auto" && local->type != "float" &&
           local->type != "double";
  };
  for (std::size_t at = 1; at + 4 < code.size(); ++at) {  // a / b == 0: `at` is the /
    const bool is_compared =
        source::is_operation(code, at + 2, "==") || source::is_operation(code, at + 2, "!=");
    if (code.text(at) != "/" || !is_compared || code.text(at + 4) != "0" || !is_integer(at - 1) ||
        !is_integer(at + 1))
      continue;
    return at_line(code, at, "wrong-formula",
                   fmt::format("line {0} compares {1} / {2} with 0, a quotient: the remainder is {1} % {2}",
                               code[at].line, code.text(at - 1), code.text(at + 1)));
  }
  return std::nullopt;
}

Cause single_ampersand(const Code& code, int line) {
  // An & after one of these takes an address, or belongs to an &&.
  constexpr std::string_view before_address = "(,=&|!<>?:+-*";
  for (std::size_t at = 1; at < code.size(); ++at) {
    if (code[at].line != line || (code.text(at) != "if" && code.text(at) != "while")) continue;
    const std::size_t end = code.matching(at + 1);
    for (std::size_t sign = at + 2; sign < end; ++sign)
      if (code.text(sign) == "&" && code.text(sign + 1) != "&" && code.text(sign + 1) != "=" &&
          before_address.find(code.text(sign - 1)) == std::string_view::npos &&
          has_symbol(code, "<", at + 1, sign) && has_symbol(code, "[", sign, end))
        return at_line(
            code, sign, "bitwise-and",
            fmt::format("line {} has & where && is needed: with &, the index after it is used even "
                        "if the condition before it does not hold",
                        line));
  }
  return std::nullopt;
}

}  // namespace gpulab::check
