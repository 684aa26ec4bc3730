#include "report/check_formats.hpp"
#include "report/workflow_command.hpp"

namespace gpulab::report {
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

}  // namespace gpulab::report
