#include "lesson/exercise.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/text.hpp"
#include "lesson/lesson.hpp"

namespace gpulab {

std::string text_of(const SourcePlace& place) {
  const std::string caller =
      place.line <= 0 || place.callers.empty()
          ? ""
          : ", called from " + text_of(SourcePlace{place.callers[0].file, place.callers[0].line});
  return line_text(place.line, place.file) + caller;
}

bool ProgramResult::has_defect() const {
  return std::ranges::any_of(report.findings, [](const ProgramFinding& finding) { return !finding.is_note; });
}

double Facts::of(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error("the question has no fact '" + name + "'");
  return found->second;
}

namespace {

std::vector<OwnExercise>& own_exercises() {
  static std::vector<OwnExercise> own;
  return own;
}

}  // namespace

std::vector<std::string> hints_in(const std::string& text) {
  std::vector<std::string> hints{""};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "---")
      hints.emplace_back();
    else
      hints.back() += line + "\n";
  }
  return hints;
}

void use_exercises(std::vector<OwnExercise> own) {
  own_exercises() = std::move(own);
}

std::vector<const Lesson*> known_lessons() {
  std::vector<const Lesson*> lessons;
  for (const Lesson& lesson : all_lessons()) lessons.push_back(&lesson);
  for (const OwnExercise& own : own_exercises()) lessons.push_back(&own.lesson);
  return lessons;
}

const Lesson& lesson_of(const Exercise& exercise) {
  for (const Lesson* lesson : known_lessons())
    if (lesson->name == exercise.lesson) return *lesson;
  throw std::logic_error("there is no lesson " + exercise.lesson);
}

std::vector<Exercise> all_exercises() {
  std::vector<Exercise> exercises;
  for (const OwnExercise& own : own_exercises()) exercises.push_back(own.exercise);
  if (!exercises.empty()) return exercises;
  for (const Lesson& lesson : all_lessons())
    for (const EmbeddedExercise& embedded : embedded_exercises()) {
      if (embedded.folder != replaced(lesson.name, '-', '_')) continue;
      const std::string file =
          std::string(embedded.folder) + (embedded.kind == ExerciseKind::answers ? ".txt" : ".cu");
      exercises.push_back({.name = embedded.is_second ? file : lesson.name,
                           .lesson = lesson.name,
                           .kind = embedded.kind,
                           .file = file,
                           .starter = embedded.starter,
                           .hints = hints_in(embedded.hints),
                           .solution = embedded.solution});
    }
  return exercises;
}

const ExerciseStanding* first_not_passed(const std::vector<ExerciseStanding>& standings) {
  const auto next = std::ranges::find_if(standings, [](const ExerciseStanding& standing) {
    return standing.progress.state != ExerciseState::passed;
  });
  return next == standings.end() ? nullptr : &*next;
}

}  // namespace gpulab
