#include "learn/files.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/registry.hpp"
#include "run/read_text_file.hpp"

namespace gpulab::learn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw UsageError("cannot write " + file.string() + ": " + why);
}

// A hidden file in the same folder, which is gone when this is.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& file, const std::string& text)
      : path_(file.parent_path() /
              ("." + file.filename().string() + "." + std::to_string(::getpid()) + ".part")) {
    std::ofstream stream(path_, std::ios::binary);
    stream << text;
    stream.close();
    if (stream) return;
    const std::string why = std::strerror(errno);
    remove();
    cannot_write(file, why);
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  void remove() const { ::unlink(path_.c_str()); }

  fs::path path_;
};

}  // namespace

bool create_file(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored))) return false;
  const TemporaryFile temporary(file, text);
  return add_name(temporary.path(), file);
}

void replace_file(const fs::path& file, const std::string& text) {
  const TemporaryFile temporary(file, text);
  if (::rename(temporary.path().c_str(), file.c_str()) != 0) cannot_write(file, std::strerror(errno));
}

bool add_name(const fs::path& file, const fs::path& name) {
  if (::link(file.c_str(), name.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  // Not every file system has hard links.
  if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  cannot_write(name, std::strerror(errno));
}

namespace {

namespace fs = std::filesystem;

// "shared_histogram.cu" for itself and for shared_histogram.1.cu.
std::string own_name_of(const fs::path& file) {
  static const std::regex name(R"((\w+)(\.\d+)?(\.cu|\.txt))");
  std::smatch match;
  const std::string text = file.filename().string();
  return std::regex_match(text, match, name) ? match[1].str() + match[3].str() : "";
}

[[noreturn]] void refuse(const std::string& word) {
  const auto exercises = all_exercises();
  std::vector<std::string> names;
  for (const Lesson& lesson : all_lessons())
    for (const Exercise& exercise : exercises) {
      if (exercise.lesson != lesson.name) continue;
      names.push_back(lesson.name);
      names.insert(names.end(), lesson.aliases.begin(), lesson.aliases.end());
      names.push_back(exercise.file);
    }
  throw UsageError("there is no exercise '" + word + "'; " +
                   suggestion(fs::path(word).filename(), names, "gpulab progress lists the exercises"));
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

fs::path numbered(const fs::path& file, unsigned number) {
  return fs::path(file).replace_extension(std::to_string(number) + file.extension().string());
}

}  // namespace

bool is_file_name(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".cu");
}

fs::path ExerciseFile::folder() const {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

ExerciseFile ExerciseFile::with_own_name() const {
  return {exercise, fs::path(path).replace_filename(exercise.file)};
}

ExerciseFile find_exercise(const std::string& word) {
  const auto lessons = all_lessons();
  const auto lesson =
      std::ranges::find_if(lessons, [&](const Lesson& candidate) { return candidate.is_called(word); });
  for (const Exercise& exercise : all_exercises()) {
    if (lesson != lessons.end() && exercise.lesson == lesson->name) return {exercise, exercise.file};
    if (word == fs::path(exercise.file).stem()) return {exercise, exercise.file};
    if (own_name_of(word) == exercise.file) return {exercise, word};
  }
  if (lesson != lessons.end())
    throw UsageError(lesson->name + " has no exercise; gpulab " + lesson->name +
                     " runs it, and gpulab progress lists the exercises");
  refuse(word);
}

std::vector<ExerciseFile> exercises_in(const fs::path& folder) {
  std::vector<ExerciseFile> found;
  std::error_code ignored;
  for (const Exercise& exercise : all_exercises()) {
    const fs::path file = folder == "." ? fs::path(exercise.file) : folder / exercise.file;
    if (fs::exists(file, ignored)) found.push_back({exercise, file});
  }
  return found;
}

bool write_starter(const ExerciseFile& exercise) {
  return create_file(exercise.path, exercise.exercise.starter);
}

std::optional<fs::path> restore_starter(const ExerciseFile& exercise) {
  const fs::path& file = exercise.path;
  if (write_starter(exercise) || content_of(file) == exercise.exercise.starter) return std::nullopt;
  unsigned number = 1;
  while (!add_name(file, numbered(file, number))) ++number;
  replace_file(file, exercise.exercise.starter);
  return numbered(file, number);
}

namespace {

// Seconds without a thread returning, unless the user has said something else: a learner waits for the
// answer.
constexpr const char* time_limit_of_a_kernel = "3";

}  // namespace

device::KernelSource learners_file(const std::filesystem::path& path) {
  return {path.string(), run::read_text_file(path, run::kernel_file)};
}

void limit_time_of_learners_kernels() {
  ::setenv("GPULAB_TIME_LIMIT", time_limit_of_a_kernel, /*overwrite=*/0);
}

}  // namespace gpulab::learn
