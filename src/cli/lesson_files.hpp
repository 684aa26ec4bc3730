#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "cli/lesson_options.hpp"
#include "cli/output.hpp"
#include "core/lesson.hpp"
#include "core/result.hpp"

namespace gpulab::cli {

// The files besides the report that a run writes: those of the lesson's own options, and the timelines.
class LessonFiles {
 public:
  // Throws UsageError for a file that cannot be written, for two options that name the same file, and for a
  // file that would show one of several sizes only.
  LessonFiles(const Lesson& lesson, const Settings& settings, const LessonWords& words,
              bool has_several_sizes);

  void write(const LessonResult& result, Narrator& narrator);

 private:
  const LessonWords& words_;
  std::map<std::string, std::filesystem::path> named_;  // by the lesson's option
  std::map<std::string, Output> artifacts_;             // the same
  Output trace_;
};

// Says that the file is there.
void mention(const std::filesystem::path& written, Narrator& narrator);

}  // namespace gpulab::cli
