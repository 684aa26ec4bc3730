#include "report/progress_text.hpp"

#include <fmt/format.h>

#include "report/table.hpp"

namespace gpulab {
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
  return {"passed", Ink::green};
}

std::string summary(const std::vector<ExerciseStanding>& standings) {
  std::size_t passed = 0;
  for (const ExerciseStanding& standing : standings)
    if (standing.progress.state == ExerciseState::passed) ++passed;
  std::string text = fmt::format("{} of {} passed", passed, standings.size());
  if (const ExerciseStanding* next = next_of(standings))
    text += ", next is " + next->exercise.lesson + ": gpulab next";
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
    table.add({{exercise.lesson, Ink::bold},
               state_cell(progress),
               {progress.passed_on},
               {begun ? std::to_string(progress.checks) : ""},
               {begun ? fmt::format("{} of {}", progress.hints_taken, exercise.hints.size()) : ""},
               {progress.last_pattern}});
  }
  return table.text(style) + "\n" + summary(standings);
}

}  // namespace gpulab
