#include <fmt/format.h>

#include "report/check_formats.hpp"
#include "report/layout.hpp"
#include "report/table.hpp"

namespace gpulab::report {
namespace {

std::string headed(const std::string& heading, Ink ink, const std::string& text, const TextStyle& style) {
  constexpr std::size_t indent = 2;
  std::string result = painted(heading, ink, style) + "\n";
  for (const std::string& line : wrapped(text, style.width - indent))
    result += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
  return result + "\n";
}

}  // namespace

std::string hint_text(const TakenHint& hint, const TextStyle& style) {
  const std::size_t all = hint.first + hint.texts.size() - 1 + hint.left;
  std::string text;
  if (!hint.pattern.empty())
    text += headed("the last check showed " + hint.pattern, Ink::yellow, hint.of_pattern, style);
  for (std::size_t i = 0; i < hint.texts.size(); ++i)
    text += headed(fmt::format("{}, hint {} of {}", hint.exercise, hint.first + i, all), Ink::bold,
                   hint.texts[i], style);
  if (hint.left > 0) return text + fmt::format("{} left: gpulab hint {}\n", hint.left, hint.exercise);
  return text + fmt::format("none left: gpulab solution {}\n", hint.exercise);
}

namespace {

Cell state_cell(const ExerciseProgress& progress) {
  switch (progress.state) {
    case ExerciseState::not_started:
      return {"-"};
    case ExerciseState::started:
      return {"started", Ink::yellow};
    case ExerciseState::passed:
      break;
  }
  if (progress.read_solution) return {"passed, solution read", Ink::green};
  return {"passed", Ink::green};
}

std::string summary(const std::vector<ExerciseStanding>& standings) {
  std::size_t passed = 0, read = 0;
  for (const ExerciseStanding& standing : standings) {
    if (standing.progress.state != ExerciseState::passed) continue;
    ++passed;
    if (standing.progress.read_solution) ++read;
  }
  std::string text = fmt::format("{} of {} passed", passed, standings.size());
  if (read > 0) text += fmt::format(" ({} after reading the solution)", read);
  if (const ExerciseStanding* next = next_of(standings))
    text += ", next is " + next->exercise.name + ": gpulab next";
  return text + "\n";
}

}  // namespace

std::string progress_text(const std::vector<ExerciseStanding>& standings, const TextStyle& style) {
  Table table({{"exercise"},
               {"state"},
               {"on", Align::left, 3},
               {"checks", Align::right, 1},
               {"hints", Align::right, 2},
               {"last check", Align::left, 4}});
  for (const auto& [exercise, progress] : standings) {
    const bool begun = progress.state != ExerciseState::not_started;
    table.add({{exercise.name, Ink::bold},
               state_cell(progress),
               {progress.passed_on},
               {begun ? std::to_string(progress.checks) : ""},
               {begun ? fmt::format("{} of {}", progress.hints_taken, exercise.hints.size()) : ""},
               {progress.last_pattern}});
  }
  return table.text(style) + "\n" + summary(standings);
}

}  // namespace gpulab::report
