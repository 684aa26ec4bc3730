#include <algorithm>

#include "report/check_formats.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

// Without the place that a compiler's message begins with, which these formats have in fields of their own.
std::string first_text(const CheckResult& result) {
  const std::string begin = result.file + " does not compile: ";
  if (result.line == 0 || !result.summary.starts_with(begin)) return result.summary;
  const std::string place = "line " + std::to_string(result.line) + ": ";
  const std::string text = result.summary.substr(begin.size());
  return text.starts_with(place) ? text.substr(place.size()) : text;
}

// Whatever has not passed has a name, for rules and types.
std::string rule_of(const CheckResult& result) {
  if (!result.pattern.empty()) return result.pattern;
  return result.verdict == Verdict::not_checked ? "not-checked" : identifier(result.verdict);
}

}  // namespace

std::vector<CheckProblem> problems_of(const CheckResult& result) {
  if (result.verdict == Verdict::right) return {};
  std::vector<CheckProblem> problems{{.line = std::max(result.line, 1),
                                      .column = result.column,
                                      .source = result.source,
                                      .pattern = rule_of(result),
                                      .text = first_text(result)}};
  for (const CheckPlace& place : result.related)
    if (place.pattern.empty())
      problems.back().related.push_back(place);
    else
      problems.push_back({.line = place.line,
                          .column = place.column,
                          .source = place.source,
                          .pattern = place.pattern,
                          .text = place.text});
  return problems;
}

}  // namespace gpulab::report
