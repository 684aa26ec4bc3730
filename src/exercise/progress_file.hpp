#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "exercise/progress.hpp"

namespace gpulab {

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

}  // namespace gpulab
