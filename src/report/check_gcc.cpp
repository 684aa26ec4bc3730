#include <fmt/format.h>

#include "report/check_formats.hpp"
#include "report/layout.hpp"

namespace gpulab::report {
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

}  // namespace gpulab::report
