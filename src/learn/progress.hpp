#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/exercise.hpp"

namespace gpulab::learn {

// The text of a progress file: one line for each exercise that was begun.
//   shared-histogram: started, 1 hint, 3 checks, last race-shared
//   first-kernel: passed 2026-11-21, 0 hints, 2 checks
//   primes: passed 2026-11-21, after reading the solution, 3 hints, 4 checks
// People may edit it: the order does not matter, what is left out is zero, and what it does not know stays as
// it is, whole lines as well as words at the end of one.
class Progress {
 public:
  explicit Progress(const std::string& text = "");

  std::string text() const;

  // Of the last line that names the lesson, should there be several.
  ExerciseProgress of(const std::string& lesson) const;
  void set(const std::string& lesson, const ExerciseProgress& progress);

  // The lesson that the line "last checked: LESSON" names; empty when there is none.
  std::string last_checked() const { return value_of("last checked:"); }
  void set_last_checked(const std::string& lesson) { set_value("last checked:", lesson); }

  // What stands behind a label; empty when there is no such line, which is what an empty value makes of it.
  std::string value_of(const std::string& label) const;
  void set_value(const std::string& label, const std::string& value);

 private:
  std::vector<std::string> lines_;
};

// What a check does to the progress: what has passed once stays so.
ExerciseProgress after_check(ExerciseProgress progress, const std::string& pattern, bool is_right,
                             const std::string& today);

// Every exercise of the course with its progress.
std::vector<ExerciseStanding> standings(const Progress& progress);

// gpulab-progress.txt in a folder of exercises. It appears with the first thing there is to remember.
class ProgressFile {
 public:
  explicit ProgressFile(const std::filesystem::path& folder);

  // Nothing is begun where there is no file. Throws UsageError when there is one that cannot be read.
  Progress read() const;

  // Changes what is known. Two processes at once wait for each other, where the file system
  // has locks. Throws UsageError, and leaves the file as it is, when it cannot be read or written.
  void change(const std::function<void(Progress&)>& change) const;
  // The same of one exercise.
  void change(const std::string& lesson, const std::function<void(ExerciseProgress&)>& change) const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

// The day as it is here: "2026-11-21".
std::string today();

}  // namespace gpulab::learn
