#include <fmt/format.h>
#include <algorithm>

#include "check/causes.hpp"
#include "source/shared_arrays.hpp"

namespace gpulab::check {

// Conditions that leave out what they should let through.

using source::Code, source::VariableUse;

namespace {

// Returns the ( of the if to which the statement around the token belongs alone, without an else; code.size()
// if there is none.
std::size_t condition_before(const Code& code, std::size_t at) {
  while (at > 0 && !begins_statement(code, at)) --at;
  const std::size_t closing = code.text(at - 1) == "{" ? at - 2 : at - 1;
  const std::size_t open = at > 2 && code.text(closing) == ")" ? code.matching(closing) : code.size();
  if (open == 0 || open >= at || code.text(open - 1) != "if") return code.size();
  return code.text(source::end_of_statement(code, closing + 1)) == "else" ? code.size() : open;
}

// Returns whether the condition chooses threads by their number, rather than elements that are there.
bool chooses_threads(const Code& code, std::size_t open) {
  for (std::size_t at = open; at < code.matching(open); ++at)
    if (source::is_operation(code, at, "==") || code.text(at) == "%" || code.text(at) == "threadIdx")
      return true;
  return false;
}

std::string condition_text(const Code& code, std::size_t open) {
  return source::in_one_line(code, open + 1, code.matching(open));
}

}  // namespace

std::size_t unusual_guard(const Code& code, std::size_t store) {
  const std::size_t open = condition_before(code, store);
  if (open == code.size()) return open;
  const bool is_usual = code.text(open + 1) == code.text(store + 2) && code.text(open + 2) == "<" &&
                        code.matching(open) == open + 4;
  return is_usual ? code.size() : open;
}

Cause guard_before_last(const Code& code, const CheckResult& result) {
  const auto& differences = result.first_differences;
  const bool is_last = !differences.empty() && differences.front().is_poison &&
                       differences.front().index + 1 == result.size && result.size > 1;
  const std::string_view size = last_parameter(code);
  for (std::size_t at = 1; is_last && !size.empty() && at + 3 < code.size(); ++at)
    if (code.text(at) == "<" && code.text(at + 1) == size && code.text(at + 2) == "-" &&
        code.text(at + 3) == "1" && code.is_word(at - 1))
      return at_line(code, at, "unwritten-tail",
                     fmt::format("line {0} lets no thread through from {1} - 1 on, and that is the last "
                                 "element: write {2} < {1}",
                                 code[at].line, size, code.text(at - 1)));
  return std::nullopt;
}

Cause guarded_bins(const Code& code, const Variables& variables) {
  const std::string_view size = last_parameter(code);
  for (std::size_t name = 1; !size.empty() && name < code.size(); ++name) {
    if (!is_shared_element(code, variables, name) || source::use_at(code, name) == VariableUse::set) continue;
    const std::size_t open = condition_before(code, name);
    const std::string_view item = code.text(open + 1);
    const bool is_of_size = open < code.size() && code.text(open + 2) == "<" && code.text(open + 3) == size &&
                            code.text(open + 4) == ")";
    const std::size_t statement = code.matching(open) + 1, end = source::end_of_statement(code, statement);
    if (!is_of_size || source::has_word(code, item, statement, end) ||
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
    if (is_shared_element(code, variables, use) && source::use_at(code, use) != VariableUse::read) {
      store = use;
      ++stores;
    }
  const std::size_t open = stores == 1 ? condition_before(code, store) : code.size();
  if (open >= code.size() || chooses_threads(code, open)) return std::nullopt;
  return at_line(code, store, "uninitialised-shared",
                 fmt::format("line {} stores in '{}' only if {}, and nothing is stored there otherwise",
                             code[store].line, array, condition_text(code, open)));
}

}  // namespace gpulab::check
