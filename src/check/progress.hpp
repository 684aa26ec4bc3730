#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lesson/exercise.hpp"

namespace gpulab::check {

// Takes the next hint of the exercise, with advice on the last check's pattern, and counts it as taken.
TakenHint take_hint(const Exercise& exercise, ExerciseProgress& progress);

// Text of a progress file: one line for each exercise that was begun.
//   shared-histogram: started, 1 hint, 3 checks, last race-shared
//   first-kernel: passed 2026-11-21, 0 hints, 2 checks
//   primes: passed 2026-11-21, after reading the solution, 3 hints, 4 checks
// People may edit it: the order does not matter, a missing part counts as zero, and unknown lines, and
// unknown words at a line's end, are kept.
class Progress {
 public:
  explicit Progress(const std::string& text = "");

  std::string text() const;

  // Returns the progress in the last line that names the exercise.
  ExerciseProgress of(const std::string& exercise) const;
  void set(const std::string& exercise, const ExerciseProgress& progress);

  // Returns the exercise that the line "last checked: EXERCISE" names; empty if there is none.
  std::string last_checked() const { return value_of("last checked:"); }
  void set_last_checked(const std::string& exercise) { set_value("last checked:", exercise); }

  // Returns the words after a label; empty if there is no such line. An empty value removes the line.
  std::string value_of(const std::string& label) const;
  void set_value(const std::string& label, const std::string& value);

 private:
  std::vector<std::string> lines_;
};

// Returns the progress after a check. An exercise that has passed stays passed.
ExerciseProgress after_check(ExerciseProgress progress, const std::string& pattern, bool is_right,
                             const std::string& today);

// Returns every exercise of the course with its progress.
std::vector<ExerciseStanding> standings(const Progress& progress);

// File gpulab-progress.txt in a folder of exercises. The first change creates it.
class ProgressFile {
 public:
  explicit ProgressFile(const std::filesystem::path& folder);

  // Reads the progress: nothing is begun if there is no file. Throws UsageError when it cannot be read.
  Progress read() const;

  // Changes the progress. Two processes at once wait for each other, if the file system has locks. Throws
  // UsageError, and leaves the file as it is, when it cannot be read or written.
  void change(const std::function<void(Progress&)>& change) const;
  // Changes the progress of one exercise.
  void change(const std::string& exercise, const std::function<void(ExerciseProgress&)>& change) const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

// Returns the local date: "2026-11-21".
std::string today();

}  // namespace gpulab::check
