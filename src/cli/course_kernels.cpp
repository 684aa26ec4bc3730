#include "cli/course_kernels.hpp"

#include <fmt/format.h>

#include "cli/find_lesson.hpp"
#include "cli/terminal.hpp"
#include "core/error.hpp"
#include "exercise/progress_file.hpp"
#include "report/source_parts.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab {
namespace {

KernelSource course_file(const Exercise& exercise) {
  const Lesson lesson = find_lesson(exercise.lesson);
  return KernelFiles(lesson, std::nullopt).of(find_variant(lesson, lesson.solution));
}

}  // namespace

CourseKernels course_kernels(const Exercise& exercise) {
  const KernelSource file = course_file(exercise);
  const std::vector<std::string> names = kernel_names(exercise.starter);
  return {.file = file.name, .names = names, .source = kernels_of(file.text, names)};
}

std::string solution_of(const Exercise& exercise) {
  return source_with_what_it_uses(course_file(exercise).text, kernel_names(exercise.starter));
}

std::string kernels_of(const std::string& file_text, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string source = function_source(file_text, name);
    if (!source.empty()) text += (text.empty() ? "" : "\n") + source;
  }
  return text;
}

bool may_see_course_kernels(const ExerciseFile& exercise, const std::string& command, bool anyway) {
  const std::string& lesson = exercise.exercise.lesson;
  if (anyway) return true;
  if (ProgressFile(exercise.folder()).read().of(lesson).state == ExerciseState::passed) return true;
  if (!can_ask())
    throw UsageError(
        fmt::format("{0} has not passed yet; gpulab hint {0} gives a hint, gpulab {1} {0} --anyway shows "
                    "the course's kernel",
                    lesson, command));
  if (says_yes(lesson + " has not passed yet. Show the course's kernel?")) return true;
  tell(fmt::format("gpulab hint {} gives a hint instead\n", lesson));
  return false;
}

}  // namespace gpulab
