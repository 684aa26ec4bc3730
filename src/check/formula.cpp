#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/own_exercises.hpp"
#include "source/expression.hpp"

namespace gpulab::check {

double value_of(const std::string& formula, const Sizes& sizes) {
  const auto fail = [&](const std::string& why) { throw UsageError(printable("'" + formula + "' " + why)); };
  constexpr std::size_t longest = 200;  // and so not deeply nested
  if (formula.size() > longest) fail("is longer than 200 letters");
  const source::Code code(formula);
  const auto [value, end] = source::computed_value(code, 0, [&](std::string_view name) {
    const auto size = sizes.find(std::string(name));
    return size == sizes.end() ? std::nullopt : std::optional(size->second);
  });
  if (!value && code.is_word(end)) {
    std::vector<std::string> known;
    for (const auto& [name, size] : sizes) known.push_back(name);
    const std::string name(code.text(end));
    fail("has '" + name + "', which is no size; " + suggestion(name, known, "[sizes] lists them"));
  }
  if (end < code.size()) fail("makes no sense from '" + formula.substr(code.begin_of(end)) + "' on");
  if (!value)
    fail(std::ranges::count(formula, '(') > std::ranges::count(formula, ')') ? "lacks a closing bracket"
                                                                             : "ends too early");
  if (!std::isfinite(*value)) fail("divides by zero, or is too large");
  return *value;
}

}  // namespace gpulab::check
