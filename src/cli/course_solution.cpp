#include "cli/course_solution.hpp"

#include <fmt/format.h>

#include "cli/find_lesson.hpp"
#include "cli/terminal.hpp"
#include "core/error.hpp"
#include "exercise/answered_sheet.hpp"
#include "exercise/progress_file.hpp"
#include "report/source_parts.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab {
namespace {

KernelSource kernel_file_of(const Exercise& exercise) {
  const Lesson lesson = find_lesson(exercise.lesson);
  return KernelFiles(lesson, std::nullopt).of(find_variant(lesson, lesson.solution));
}

}  // namespace

CourseSolution course_solution(const Exercise& exercise) {
  if (exercise.has_questions()) return {.title = "the course's answers", .text = answered_sheet(exercise)};
  const KernelSource file = kernel_file_of(exercise);
  const std::vector<std::string> names = kernel_names(exercise.starter);
  return {
      .title = "the course's kernels/" + file.name, .kernels = names, .text = kernels_of(file.text, names)};
}

std::string course_file_of(const Exercise& exercise) {
  if (exercise.has_questions()) return answered_sheet(exercise);
  return source_with_what_it_uses(kernel_file_of(exercise).text, kernel_names(exercise.starter));
}

std::string kernels_of(const std::string& file_text, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string source = function_source(file_text, name);
    if (!source.empty()) text += (text.empty() ? "" : "\n") + source;
  }
  return text;
}

bool may_see_course_solution(const ExerciseFile& exercise, const std::string& command, bool anyway) {
  const std::string& lesson = exercise.exercise.lesson;
  const char* what = exercise.exercise.has_questions() ? "answers" : "kernel";
  if (anyway) return true;
  if (ProgressFile(exercise.folder()).read().of(lesson).state == ExerciseState::passed) return true;
  if (!can_ask())
    throw UsageError(
        fmt::format("{0} has not passed yet; gpulab hint {0} gives a hint, gpulab {1} {0} --anyway shows "
                    "the course's {2}",
                    lesson, command, what));
  if (says_yes(fmt::format("{} has not passed yet. Show the course's {}?", lesson, what))) return true;
  tell(fmt::format("gpulab hint {} gives a hint instead\n", lesson));
  return false;
}

}  // namespace gpulab
