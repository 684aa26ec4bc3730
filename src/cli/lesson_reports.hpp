#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "bench/result.hpp"
#include "cli/lesson_options.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/documents.hpp"

namespace gpulab::cli {

// Guard that says, when the command ends, which output files of an earlier run it has not replaced, so that
// nobody mistakes them for the result of this run.
//
// Finds the files in the words of the command line, after options that write a file, so it finds them even if
// the words cannot be parsed. Leaves out devices, pipes, empty files, files without write permission, and
// files that the words name a second time, such as an input.
class EarlierOutputs {
 public:
  EarlierOutputs(const CLI::App& app, const std::vector<std::string>& words);
  ~EarlierOutputs();
  EarlierOutputs(const EarlierOutputs&) = delete;
  EarlierOutputs& operator=(const EarlierOutputs&) = delete;

 private:
  struct Earlier {
    std::string file;  // word of the command line
    std::filesystem::file_time_type written;
  };

  std::vector<Earlier> earlier_;
};

// Returns "text", "json" or "csv": from --format, or else from the ending of --output.
std::string format_of(const LessonOptions& options);

// Writer of the results of one command. With --output they go to the file, and as text to stdout too.
class LessonReports {
 public:
  // Expects `count` results. Throws UsageError when the file cannot be written. Writes nothing yet.
  LessonReports(const LessonOptions& options, std::size_t count);

  bool empty() const { return results_.empty(); }
  bool is_text_on_stdout() const { return is_text_on_stdout_; }

  // Adds a result. Text for stdout is written at once, one report after another.
  void add(LessonResult result);

  // Writes the outputs that need all results: the file, JSON and CSV.
  void finish(const RunFacts& facts);

 private:
  std::string text_of(const LessonResult& result, const TextStyle& style) const;
  std::string document(const RunFacts& facts) const;

  std::string format_;
  run::SimulatedTimes times_;
  ReportOutput output_;
  std::size_t count_;
  bool is_text_on_stdout_;
  std::vector<LessonResult> results_;
};

// Unexpected outcomes that are told on stderr: those of variants that did not run to their end, or all, where
// no table is shown.
enum class Told { stopped, all };

// Returns a line for stderr for each variant with such an outcome.
std::string failures_text(const std::string& lesson, const std::vector<VariantResult>& variants,
                          Told told = Told::stopped);

// Table of a running lesson on the terminal: redrawn as rows are done, and removed before the whole report is
// printed in its place. If it is longer than the screen, only its last rows are shown. Nothing is drawn in
// the background, or on a terminal that cannot redraw.
class GrowingTable {
 public:
  // Shows progress below the table, on the same terminal.
  GrowingTable(bool is_wanted, Narrator& narrator);

  void show(const LessonResult& so_far);
  void remove();
  // Prints a line above the table.
  void remark(const std::string& line);

 private:
  void draw(const std::string& text);

  Narrator& narrator_;
  std::optional<RedrawnText> text_;  // none where it is not wanted
};

// Returns the exit code for --strict-claims: 5 if everything is right and a claim does not hold. A claim that
// is inconclusive or was not measured is not a failure.
ExitCode strict_exit_code_of(const LessonResult& result);
ExitCode strict_exit_code_of(const bench::BenchResult& result);

// Returns lines for stderr, one for each claim that does not hold; empty if there is none.
std::string broken_claims_text(const LessonResult& result);
std::string broken_claims_text(const bench::BenchResult& result);

// Runs the lesson with the files of --kernels, and again at every save of one of them: only the variants
// whose file has changed. Their rows then show the old value beside the new one. A file that does not compile
// leaves the table as it was. Ends at the key q or at a signal. Throws UsageError for options that need a
// single run.
ExitCode watch_lesson(const Lesson& lesson, const LessonOptions& options,
                      const std::vector<std::string>& typed);

}  // namespace gpulab::cli
