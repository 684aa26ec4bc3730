#include <fmt/format.h>
#include <algorithm>

#include "check/judging.hpp"
#include "source/statements.hpp"

namespace gpulab::check {
namespace {

using source::Code, source::LocalVariable;

// Returns whether an if or a conditional operator decides whether the token is evaluated.
bool is_under_condition(const Code& code, std::size_t token) {
  for (std::size_t at = 0; at < token; ++at)
    if (code.text(at) == "if" && source::end_of_statement(code, at) > token) return true;
  for (std::size_t at = token; at-- > 0 && code.text(at) != ";" && code.text(at) != "{";)
    if (code.text(at) == "?") return true;
  return false;
}

// Returns the first token that shifts by warpSize, or by a variable of its value; code.size() if none does.
std::size_t shift_in(const Code& code) {
  const std::vector<LocalVariable> variables = source::local_variables(code);
  const auto is_warp_size = [&](std::size_t at) {
    const auto variable = std::ranges::find(variables, code.text(at), &LocalVariable::name);
    const std::size_t value = variable == variables.end() ? at : variable->at + 2;
    return code.text(value) == "warpSize" && (value == at || source::end_of_value(code, value) == value + 1);
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    std::size_t count = at + 2;
    while (code.text(count) == "(") ++count;
    const std::string_view next = code.text(count + 1);
    if (source::is_operation(code, at, "<<") && is_warp_size(count) && next != "-" && next != "/" &&
        next != "%" && !is_under_condition(code, at))
      return at;
  }
  return code.size();
}

}  // namespace

void name_shift_by_warp_size(const Lesson& lesson, const Code& code, CheckResult& result) {
  const bool is_of_mask = result.pattern == name_of(DefectKind::wrong_mask);
  const std::size_t shift = shift_in(code);
  if (!lesson.is_checked_with_64_lanes || shift == code.size() ||
      (result.verdict != Verdict::right && !is_of_mask))
    return;
  if (result.verdict == Verdict::right) result.verdict = Verdict::defect;
  const int line = code[shift].line;
  blame(
      {.line = line,
       .pattern = "shift-by-warp-size",
       .text = fmt::format(
           "line {} shifts by warpSize, which is 64 on some GPUs: a 64-bit integer has no more bits, so the "
           "mask is undefined",
           line)},
      code, result);
}

}  // namespace gpulab::check
