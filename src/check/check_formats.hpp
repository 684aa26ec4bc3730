#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/table.hpp"
#include "lesson/exercise.hpp"
#include "lesson/finding.hpp"
#include "lesson/result.hpp"

namespace gpulab::check {

// Results of check for graders, services and editors. Each function depends on the results alone.

// How much a report says. Brief is for a screen of 24 lines: the verdict, the cause, the place and the hint.
enum class Detail { brief, all };

// Formats a check for people: the verdict first and, at the end, what to type next. Sentences are no longer
// than the style's width; compilers' messages and commands stay whole, to be copied.
std::string check_text(const CheckResult& result, const TextStyle& style, Detail detail = Detail::all);

// Formats several checks: every verdict first, then all about the first that has not passed.
std::string checks_text(const std::vector<CheckResult>& results, const TextStyle& style);

// Returns the verdict alone, for one of many that have passed.
std::string check_line(const CheckResult& result, const TextStyle& style);

// Says how many of several have passed, in one line.
std::string checks_summary(const std::vector<CheckResult>& results);

// Returns every check in one document with "schema": "gpulab.check"; null for what is not known.
std::string check_json(const std::vector<CheckResult>& results, ExitCode exit_code);

// Quotes a word for a shell: 'Grace'\''s file.cu'.
std::string quoted(const std::string& word);

// Returns the command that checks the file again: "gpulab check shared_histogram.cu".
std::string check_command(const CheckResult& result);

// Returns the command that shows the same again, on the simulator; empty if nothing was run.
std::string reproduce_command(const CheckResult& result);

// Says what to do after a check. A failure ends with the command that checks again; if the report was brief,
// with the option that shows all.
std::string next_commands(const CheckResult& result, const TextStyle& style, Detail detail = Detail::all);

// Compares a learner's kernel, the first of the results, with the lesson's own as they ran on a GPU; empty
// where there was none.
std::string gpu_check_table(const std::vector<VariantResult>& on_gpu, const TextStyle& style);

// Lists the exercises, a row for each, and below says how many have passed and which is next.
std::string progress_text(const std::vector<ExerciseStanding>& standings, const TextStyle& style);

// Returns every exercise with its progress, in one document with "schema": "gpulab.progress".
std::string progress_json(const std::vector<ExerciseStanding>& standings);

// Formats hints for a learner, with the command for what there is after them.
std::string hint_text(const TakenHint& hint, const TextStyle& style);

// Formats results for editors, as GCC writes: "file:line:column: error: text [pattern]", a note for the other
// side of it, and notes with the hint. Nothing for what has passed.
std::string check_gcc(const std::vector<CheckResult>& results);

// Returns a test case for each file: an error for a file that could not be checked, a failure for all others
// that have not passed.
std::string check_junit(const std::vector<CheckResult>& results);

// Returns Gradescope's results.json: a test of one point for each file. A sheet of questions gets the part of
// the point that its right answers are, a kernel all of it or nothing.
std::string check_gradescope(const std::vector<CheckResult>& results);

// Returns the same without results: no point, and why.
std::string no_gradescope(const std::string& why);

// Returns SARIF 2.1.0: a result for each thing that is wrong, under a rule for its pattern. Names of files
// become URIs, relative if they are relative.
std::string check_sarif(const std::vector<CheckResult>& results);

// Returns commands of a GitHub workflow: an error for each file that has not passed, since GitHub shows ten
// for each step, and how many have passed as a notice.
std::string check_github(const std::vector<CheckResult>& results);

// Problem in a file. A check may find several.
struct CheckProblem {
  int line = 1, column = 1;
  std::string source;               // the text of that line
  std::string pattern;              // "race-shared"
  std::string text;                 // what is wrong
  std::vector<CheckPlace> related;  // its other sides
};

// Returns the problems; the first is what the check is about. None for what has passed.
std::vector<CheckProblem> problems_of(const CheckResult& result);

// Formats what was seen of a program, to follow its own output. Empty for a program that was not watched and
// ended well.
std::string program_text(const ProgramResult& result, const TextStyle& style);

// Returns the same as a document.
std::string program_json(const ProgramResult& result);

// Returns the same as checks, for their formats: one for each file in which something was found, the
// program's first file among them.
std::vector<CheckResult> as_checks(const ProgramResult& result);

// Returns the result of a program that does not compile, and below the same as a check.
ProgramResult result_of_compile_error(const std::string& file, const CompileError& error);
CheckResult as_check(const std::string& file, const CompileError& error);

// Returns what all launches of a kernel asked of memory, as lessons show it.
VariantInspection as_inspection(const ProgramResult& result, const KernelCounts& counts);

}  // namespace gpulab::check
