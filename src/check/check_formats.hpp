#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/table.hpp"
#include "lesson/exercise.hpp"
#include "lesson/finding.hpp"
#include "lesson/result.hpp"

namespace gpulab::check {

// What check found, as graders, services and editors read it. Each is a function of the results alone.

// What a check found, for people: the verdict first and, at the end, what to type next. Sentences are no
// longer than the style's width; sources, compilers' messages and commands stay whole, to be copied.
std::string check_text(const CheckResult& result, const TextStyle& style);

// What several checks found: every verdict first, then all about the first that has not passed.
std::string checks_text(const std::vector<CheckResult>& results, const TextStyle& style);

// The verdict alone, for one of many that have passed.
std::string check_line(const CheckResult& result, const TextStyle& style);

// How many of several have passed, in one line.
std::string checks_summary(const std::vector<CheckResult>& results);

// Every check, as one document with "schema": "gpulab.check"; null for what is not known.
std::string check_json(const std::vector<CheckResult>& results, ExitCode exit_code);

// As a shell takes it for one word: 'Grace'\''s file.cu'
std::string quoted(const std::string& word);

// What checks the file again: "gpulab check shared_histogram.cu"
std::string check_command(const CheckResult& result);

// What shows the same again, on the simulator; empty for what was never run.
std::string reproduce_command(const CheckResult& result);

// What to do after a check. What failed ends with the file to edit and the command to type then.
std::string next_commands(const CheckResult& result, const TextStyle& style);

// A learner's kernel, the first of the results, beside the lesson's own as they ran on a GPU; empty where
// there was none.
std::string gpu_check_table(const std::vector<VariantResult>& on_gpu, const TextStyle& style);

// One row for each exercise, and below how many have passed and which is next.
std::string progress_text(const std::vector<ExerciseStanding>& standings, const TextStyle& style);

// Every exercise with its progress, as one document with "schema": "gpulab.progress".
std::string progress_json(const std::vector<ExerciseStanding>& standings);

// Hints as a learner reads them, and the command for what there is after them.
std::string hint_text(const TakenHint& hint, const TextStyle& style);

// For editors, as GCC writes: "file:line:column: error: text [pattern]", a note for the other side of it, and
// notes with the hint. Nothing for what has passed.
std::string check_gcc(const std::vector<CheckResult>& results);

// A test case for each file: what could not be checked is an error, everything else that has not passed has
// failed.
std::string check_junit(const std::vector<CheckResult>& results);

// Gradescope's results.json: a test of one point for each file. A sheet of questions has the part of the
// point that its right answers are, a kernel all of it or nothing.
std::string check_gradescope(const std::vector<CheckResult>& results);

// The same where there are no results to tell of: no point, and why.
std::string no_gradescope(const std::string& why);

// SARIF 2.1.0: a result for each thing that is wrong, under a rule for its pattern. Names of files become
// URIs, relative where they are relative.
std::string check_sarif(const std::vector<CheckResult>& results);

// Commands of a GitHub workflow: an error for each file that has not passed, since GitHub shows ten for each
// step, and how many have passed as a notice.
std::string check_github(const std::vector<CheckResult>& results);

// Something that is wrong in a file. A check may find several.
struct CheckProblem {
  int line = 1, column = 1;
  std::string source;               // the text of that line
  std::string pattern;              // "race-shared"
  std::string text;                 // what is wrong
  std::vector<CheckPlace> related;  // its other sides
};

// The first is what the check is about. None for what has passed.
std::vector<CheckProblem> problems_of(const CheckResult& result);

// What was seen of a program, for the end of its own output. Nothing of one that was not watched and ended
// well.
std::string program_text(const ProgramResult& result, const TextStyle& style);

// The same as a document.
std::string program_json(const ProgramResult& result);

// The same as checks say it, for the formats that they have: one for each file in which something was found,
// the program's first file among them.
std::vector<CheckResult> as_checks(const ProgramResult& result);

// A program that does not compile, as a document's result and as a check has it.
ProgramResult that_does_not_compile(const std::string& file, const CompileError& error);
CheckResult as_check(const std::string& file, const CompileError& error);

// What all launches of a kernel asked of memory, as lessons show it.
VariantInspection as_inspection(const ProgramResult& result, const KernelCounts& counts);

}  // namespace gpulab::check
