#include "check/check_formats.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "lesson/words.hpp"

namespace gpulab::check {

std::string check_gcc(const std::vector<CheckResult>& results) {
  using enum Annotation::Severity;
  std::string text;
  for (const CheckResult& result : results) {
    const std::vector<CheckProblem> problems = problems_of(result);
    for (const CheckProblem& problem : problems) {
      const auto add = [&](Annotation::Severity severity, int line, int column, const std::string& message) {
        text += gcc_line(
            {.severity = severity, .file = result.file, .line = line, .column = column, .message = message});
      };
      add(error, problem.line, problem.column, fmt::format("{} [{}]", problem.text, problem.pattern));
      for (const CheckPlace& place : problem.related) add(note, place.line, place.column, place.text);
      if (&problem != problems.data()) continue;
      std::vector<std::string> notes = result.notes;
      notes.insert(notes.begin(), result.where);
      if (!result.hint.empty()) notes.push_back("hint: " + result.hint);
      for (const std::string& one : notes)
        if (!one.empty()) add(note, problem.line, problem.column, one);
    }
  }
  return text;
}

namespace {

std::string message_of(const CheckResult& result, const std::vector<CheckProblem>& problems) {
  std::string text;
  for (const CheckProblem& problem : problems) {
    text += problem.text + "\n";
    for (const CheckPlace& place : problem.related)
      text += "line " + std::to_string(place.line) + ": " + place.text + "\n";
  }
  if (!result.where.empty()) text += result.where + "\n";
  return text + (result.hint.empty() ? "" : "hint: " + result.hint);
}

}  // namespace

std::string check_github(const std::vector<CheckResult>& results) {
  std::string text;
  for (const CheckResult& result : results) {
    const std::vector<CheckProblem> problems = problems_of(result);
    if (problems.empty()) continue;
    text +=
        github_line({.file = result.file,
                     .line = problems[0].line,
                     .column = problems[0].column,
                     .title = (result.exercise.empty() ? "" : result.exercise + ": ") + problems[0].pattern,
                     .message = message_of(result, problems)});
  }
  return text + github_line({.severity = Annotation::Severity::note,
                             .title = "gpulab check",
                             .message = checks_summary(results)});
}

namespace {

TestCase test_case(const CheckResult& result) {
  TestCase test{.group = result.exercise.empty() ? "gpulab.run" : "gpulab." + result.exercise,
                .name = result.file,
                .seconds = fmt::format("{:.3f}", result.seconds),
                .file = result.file};
  const std::vector<CheckProblem> problems = problems_of(result);
  if (problems.empty()) return test;
  test.line = result.line;
  test.result = result.verdict == Verdict::not_checked ? TestCase::Result::broken : TestCase::Result::failed;
  test.type = problems[0].pattern;
  test.message = problems[0].text;
  test.text = check_text(result, {});
  return test;
}

}  // namespace

std::string check_junit(const std::vector<CheckResult>& results) {
  double seconds = 0;
  TestSuite suite{.name = "gpulab check"};
  for (const CheckResult& result : results) {
    seconds += result.seconds;
    suite.cases.push_back(test_case(result));
  }
  suite.seconds = fmt::format("{:.3f}", seconds);
  return junit_text(suite);
}

namespace {

// Without the place that a compiler's message begins with, which these formats have in fields of their own.
std::string first_text(const CheckResult& result) {
  const bool has_place = result.verdict == Verdict::does_not_compile && result.line > 0;
  return has_place && !result.fact.empty() ? result.fact : result.summary;
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

}  // namespace gpulab::check
