#include <fmt/format.h>
#include <algorithm>

#include "check/causes.hpp"
#include "check/checked_kernel.hpp"

namespace gpulab::check {

namespace {

// Finds an operator that C++ reads in another way: 0 <= i < n, !i < n, if (i & n), (i, j). Returns what was
// probably meant, without a text for (i, j), and says so; says nothing if there is none.
Change misread_operator(const source::Code& code) {
  const std::string_view size = last_parameter(code);
  const auto length_of = [&](std::size_t at) { return code.text(at + 1) == "=" ? std::size_t{2} : 1; };
  const auto text = [&](std::size_t begin, std::size_t end) { return source::in_one_line(code, begin, end); };
  for (std::size_t at = 2; at + 2 < code.size(); ++at) {
    const std::string_view sign = code.text(at);
    const auto found = [&](Change change, const std::string& words) {
      change.says = fmt::format("line {} {}{}", code[at].line, words, change.text);
      return change;
    };
    if (sign == "(" && code.text(at - 1) == "=" && is_builtin(code, at + 1) && code.text(at + 4) == ",")
      return found({at, code.after_bracket(at)},
                   fmt::format("computes {}: of numbers behind commas, only the last one is left",
                               text(at, code.after_bracket(at))));
    if (const std::size_t last = code.text(at + 1) == "&" ? at + 2 : at + 1;
        sign == "&" && code.text(at - 3) == "if" && code.is_word(at - 1) && code.text(last) == size &&
        code.text(last + 1) == ")")
      return found({at - 1, last + 1, fmt::format("{} < {}", code.text(at - 1), size)},
                   fmt::format("has {}, which does not compare: write ", text(at - 1, last + 1)));
    if (!source::compares(code, at)) continue;
    const std::size_t behind = at + length_of(at);
    const Change whole = whole_comparison(code, {at, behind});
    if (code.text(whole.begin) == "!" && at == whole.begin + 2)
      return found({whole.begin, whole.end, fmt::format("!({})", text(whole.begin + 1, whole.end))},
                   fmt::format("compares {}, which is 0 or 1, with {}: write ", text(whole.begin, at),
                               text(behind, whole.end)));
    std::size_t second = behind;
    while (second < whole.end && (code.text(second) != sign || !source::compares(code, second)))
      second = code.text(second) == "(" || code.text(second) == "[" ? code.after_bracket(second) : second + 1;
    if (second >= whole.end) continue;
    const std::string left = text(whole.begin, at), middle = text(behind, second),
                      right = text(second + length_of(second), whole.end);
    return found({whole.begin, whole.end,
                  fmt::format("{} {} {} && {} {} {}", left, left == "0" ? "<=" : text(at, behind), middle,
                              middle, right == size ? "<" : text(second, second + length_of(second)), right)},
                 fmt::format("compares {} {} {}, which is 0 or 1, with {}: write ", left, text(at, behind),
                             middle, right));
  }
  return {};
}

}  // namespace

Cause tried_misreading(const Lesson& lesson, const Trial& trial, device::Device& device,
                       const device::KernelSource& source, const Settings& wrong_at,
                       const CheckResult& unjudged, const CheckResult& result) {
  const source::Code code(source.text);
  const Change meant = misread_operator(code);
  if (result.verdict == Verdict::right || meant.says.empty()) return std::nullopt;
  if (!meant.text.empty()) {
    device::KernelSource changed = source;
    const std::size_t begin = code.begin_of(meant.begin);
    changed.text.replace(begin, code.end_of(meant.end - 1) - begin, meant.text);
    CheckedKernel kernel(lesson, changed, device, trial);
    CheckResult judged = unjudged;
    const bool fails = std::ranges::any_of(
        thread_orders(), [&](const NamedOrder& order) { return !kernel.passes_at(wrong_at, order, judged); });
    if (fails && judged.pattern == result.pattern && judged.line == result.line) return std::nullopt;
  }
  return at_line(code, meant.begin, "", meant.says);
}

}  // namespace gpulab::check
