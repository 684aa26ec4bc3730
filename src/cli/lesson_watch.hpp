#pragma once

#include "cli/lesson_options.hpp"
#include "core/error.hpp"
#include "core/lesson.hpp"

namespace gpulab::cli {

// Runs the lesson with the files of --kernels, and again at every save of one of them: only the variants
// whose file has changed, whose rows then show the old value beside the new one. A file that does not compile
// leaves the table as it was. Ends when q is pressed, or by a signal. Throws UsageError for options that go
// with one run only.
ExitCode watch_lesson(const Lesson& lesson, const LessonWords& words, const std::vector<std::string>& typed);

}  // namespace gpulab::cli
