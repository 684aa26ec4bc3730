#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "run/run_options.hpp"

namespace gpulab::check {

constexpr run::TextFileKind answer_sheet{"a file of answers", "the questions with an answer after each"};

// Exercise, and the file in which a learner does it.
struct ExerciseFile {
  Exercise exercise;
  std::filesystem::path path;

  // Returns the folder in which the progress is kept.
  std::filesystem::path folder() const;
  // Returns whether the file counts for the progress: numbered copies do not.
  bool has_own_name() const { return path.filename() == exercise.file; }
  ExerciseFile with_own_name() const;
};

// Returns whether a word of the command line is a kernel file's name, rather than a lesson's.
bool is_file_name(const std::string& word);

// Returns the exercise that a word names: the name of a lesson, an alias of it, or a file, which may be
// in another folder and may be a numbered copy. Throws UsageError, with the nearest name, if there is none.
ExerciseFile find_exercise(const std::string& word);

// Returns all exercises of the lesson that the word names: streams.txt and streams.cu for "streams".
std::vector<ExerciseFile> find_exercises(const std::string& word);

// Returns the exercises that have their file in the folder, in the order of the course.
std::vector<ExerciseFile> exercises_in(const std::filesystem::path& folder);

// Writes the starter, unless there is a file of its name; returns whether it did. Throws UsageError when the
// folder cannot be written to.
bool write_starter(const ExerciseFile& exercise);

// Puts the starter in place of the file, which is kept under the first free of the names
// shared_histogram.1.cu, shared_histogram.2.cu ... Returns that name, or none when there was nothing to keep:
// no file, or the starter unchanged. Throws UsageError when the folder cannot be written to.
std::optional<std::filesystem::path> restore_starter(const ExerciseFile& exercise);

// Reads a learner's kernel file. Throws UsageError when it cannot be read, or cannot be a kernel file: it is
// larger than 1 MiB, or has bytes that are no text.
device::KernelSource learner_file(const std::filesystem::path& path);

// Reads the file of an exercise, which may have answers to questions in place of kernels.
device::KernelSource learner_file(const Exercise& exercise, const std::filesystem::path& path);

// Returns the file with the solution of a kernel exercise. Other kernels are in the file, too.
device::KernelSource solution_file(const Exercise& exercise);

// Returns the course's solution of an exercise as a file that could be handed in, with what the kernels use.
std::string course_file_of(const Exercise& exercise);

// Lines to be replaced in a text. Indentation is relative to that of the first line.
struct TextEdit {
  std::string place;  // "mistakes/no_event.diff:3", for messages
  std::vector<std::string> before, after;
};

// Returns the text with the edits: in that kernel, or anywhere if no kernel is named. Throws UsageError, with
// the place of the edit, for lines that the kernel lacks, or that the text has more than once.
std::string edited(const std::string& text, const std::vector<TextEdit>& edits,
                   const std::string& kernel = {});

// Returns the files of typical mistakes in an exercise's folder, by name: mistakes/NAME.cu, a whole file, or
// mistakes/NAME.diff, an edit of the solution.
std::vector<std::filesystem::path> mistake_files(const std::filesystem::path& folder);

// Word that stands after "expect: " in place of a pattern where a kernel only looks wrong.
constexpr const char* expected_to_pass = "pass";

// Returns what the comments at the head of a mistake say after a word such as "expect: "; empty if nothing.
std::string said_in_mistake(const std::string& text, const std::string& word);

// Returns a mistake as a learner would hand it in: the file's text or, if it is an edit of the solution, its
// first lines and the edited solution. Throws UsageError, with file and line, for an edit that does not fit.
std::string mistake_text(const std::filesystem::path& file, const std::string& text,
                         const std::string& solution);

// Finds the mistake in an exercise's folder that has the learner's text, apart from blanks and comments.
// Returns the reason that its file gives; empty if there is no such mistake, or no reason.
std::string reason_in(const std::filesystem::path& folder, const std::string& learners_text);

// Makes the folder with the files that an editor reads before a kernel file, so that it understands CUDA's
// names without a CUDA Toolkit: gpulab.hpp, to be included by force, and include/, with the headers that a
// kernel file may include. The folder lies in the cache under a hash of its texts. Returns a link to the
// folder; the link keeps its name when another version of gpulab makes another folder. Throws UsageError if
// the cache is temporary.
std::filesystem::path editor_prelude();

}  // namespace gpulab::check
