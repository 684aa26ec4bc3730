#include "check/check_formats.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "lesson/words.hpp"

namespace gpulab::check {
namespace {

std::string gcc_line(const std::string& file, int line, int column, const char* kind,
                     const std::string& text) {
  return without_controls(fmt::format("{}:{}:{}: {}: {}", file, line, column, kind, text)) + "\n";
}

std::string gcc_lines(const CheckProblem& problem, const std::string& file) {
  std::string text = gcc_line(file, problem.line, problem.column, "error",
                              fmt::format("{} [{}]", problem.text, problem.pattern));
  for (const CheckPlace& place : problem.related)
    text += gcc_line(file, place.line, place.column, "note", place.text);
  return text;
}

}  // namespace

std::string check_gcc(const std::vector<CheckResult>& results) {
  std::string text;
  for (const CheckResult& result : results) {
    const std::vector<CheckProblem> problems = problems_of(result);
    for (const CheckProblem& problem : problems) {
      text += gcc_lines(problem, result.file);
      if (&problem != problems.data()) continue;
      std::vector<std::string> notes = result.notes;
      notes.insert(notes.begin(), result.where);
      if (!result.hint.empty()) notes.push_back("hint: " + result.hint);
      for (const std::string& note : notes)
        if (!note.empty()) text += gcc_line(result.file, problem.line, problem.column, "note", note);
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
    text += workflow_command(
        "error",
        {{"file", result.file},
         {"line", std::to_string(problems[0].line)},
         {"col", std::to_string(problems[0].column)},
         {"title", (result.exercise.empty() ? "" : result.exercise + ": ") + problems[0].pattern}},
        message_of(result, problems));
  }
  return text + workflow_command("notice", {{"title", "gpulab check"}}, checks_summary(results));
}

namespace {

std::string test_case(const CheckResult& result) {
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\" file=\"{}\"",
                  xml_text(result.exercise.empty() ? "gpulab.run" : "gpulab." + result.exercise),
                  xml_text(result.file), result.seconds, xml_text(result.file));
  const std::vector<CheckProblem> problems = problems_of(result);
  if (problems.empty()) return text + "/>\n";
  const char* const element = result.verdict == Verdict::not_checked ? "error" : "failure";
  if (result.line > 0) text += fmt::format(" line=\"{}\"", result.line);
  return text + fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                            element, xml_text(problems[0].pattern), xml_text(problems[0].text),
                            xml_text(check_text(result, {})));
}

}  // namespace

std::string check_junit(const std::vector<CheckResult>& results) {
  double seconds = 0;
  std::string cases;
  for (const CheckResult& result : results) {
    seconds += result.seconds;
    cases += test_case(result);
  }
  const auto passed = std::ranges::count(results, Verdict::right, &CheckResult::verdict);
  const auto errors = std::ranges::count(results, Verdict::not_checked, &CheckResult::verdict);
  const std::string counts =
      fmt::format("name=\"gpulab check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"",
                  results.size(), std::ssize(results) - passed - errors, errors, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite {0} skipped=\"0\">\n{1}"
      "  </testsuite>\n</testsuites>\n",
      counts, cases);
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
