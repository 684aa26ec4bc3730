#include "learn/files.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/registry.hpp"
#include "core/scanner.hpp"
#include "core/text.hpp"
#include "run/kernel_files.hpp"

namespace gpulab::learn {
namespace {

namespace fs = std::filesystem;

// "shared_histogram.cu" for itself and for shared_histogram.1.cu.
std::string own_name_of(const fs::path& file) {
  const std::string text = file.filename().string();
  Scanner scanner(text);
  const std::string name(scanner.word());
  Scanner number = scanner;
  if (number.take(".") && !number.digits().empty()) scanner = number;
  const bool is_one = !name.empty() && (scanner.rest() == ".cu" || scanner.rest() == ".txt");
  return is_one ? name + std::string(scanner.rest()) : "";
}

// Names and aliases of the lessons that have an exercise.
std::vector<std::string> exercise_names() {
  const auto exercises = all_exercises();
  std::vector<std::string> names;
  for (const Lesson& lesson : all_lessons()) {
    if (std::ranges::find(exercises, lesson.name, &Exercise::lesson) == exercises.end()) continue;
    names.push_back(lesson.name);
    names.insert(names.end(), lesson.aliases.begin(), lesson.aliases.end());
  }
  return names;
}

// A file whose name is not that of an exercise.
[[noreturn]] void refuse_file(const std::string& word) {
  std::error_code ignored;
  if (fs::exists(word, ignored))
    throw UsageError("the name of " + word + " does not say which exercise it is; gpulab check " + word +
                     " --exercise LESSON says so, and gpulab progress lists the exercises");
  std::string name = fs::path(word).stem();
  std::ranges::replace(name, '_', '-');
  const std::string meant = nearest_name(name, exercise_names());
  if (meant.empty())
    throw UsageError("there is no file " + word +
                     "; gpulab progress lists the exercises, and gpulab start LESSON " +
                     "writes the file of one");
  const Exercise exercise = find_exercise(meant).exercise;
  throw UsageError("there is no file " + word + "; gpulab start " + exercise.lesson + " writes " +
                   exercise.file);
}

[[noreturn]] void refuse(const std::string& word) {
  std::error_code ignored;
  if (fs::is_directory(word, ignored))
    throw UsageError(word + " is a folder; go there (cd " + word +
                     ") and type gpulab check, to check all its exercises");
  if (is_file_name(word) || word.ends_with(".txt")) refuse_file(word);
  throw UsageError("there is no exercise '" + word + "'; " +
                   suggestion(word, exercise_names(), "gpulab progress lists the exercises"));
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

std::vector<ExerciseFile> find_exercises(const std::string& word) {
  const ExerciseFile first = find_exercise(word);
  std::vector<ExerciseFile> all{first};
  const bool is_lesson = first.path == first.exercise.file && own_name_of(word) != first.exercise.file;
  for (const Exercise& exercise : all_exercises())
    if (is_lesson && exercise.lesson == first.exercise.lesson && exercise.name != first.exercise.name)
      all.push_back({exercise, exercise.file});
  return all;
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

device::KernelSource learners_file(const std::filesystem::path& path) {
  return {path.string(), run::read_text_file(path, run::kernel_file)};
}

device::KernelSource learners_file(const Exercise& exercise, const std::filesystem::path& path) {
  constexpr run::TextFileKind answers{"a file of answers", "the questions with an answer after each"};
  constexpr run::TextFileKind program{"a program", "a main() and kernels"};
  return {path.string(), run::read_text_file(path, exercise.has_questions() ? answers
                                                   : exercise.is_program()  ? program
                                                                            : run::kernel_file)};
}

}  // namespace gpulab::learn
