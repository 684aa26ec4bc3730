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

// Verdict on a file that lacks the kernel of its exercise: often the kernel is there under another name.
constexpr const char* verdict_of_no_such_kernel = "no_such_kernel";

// Returns the verdict as a word, such as "passed" or "does_not_compile". For the pattern of a missing kernel,
// returns "no_such_kernel": such a file may well compile.
std::string verdict_word(Verdict verdict, const std::string& pattern);

// Formats a check for people: the verdict first and, at the end, what to type next. Sentences are wrapped
// to the style's width; compilers' messages and commands stay whole, to be copied.
std::string check_text(const CheckResult& result, const TextStyle& style, Detail detail = Detail::all);

// Returns what the compiler said, with its excerpts cut to the width: in brief, its first error, as later
// ones often follow from it.
std::string compiler_lines(const std::string& log, const TextStyle& style, Detail detail);

// Formats several checks: every verdict first, then everything about the first check that has not passed.
std::string checks_text(const std::vector<CheckResult>& results, const TextStyle& style, Detail detail);

// Returns the verdict and the notes: enough for a check that has passed, among many.
std::string check_line(const CheckResult& result, const TextStyle& style);

// Says in one line how many of the checks have passed.
std::string checks_summary(const std::vector<CheckResult>& results);

// Returns every check in one document with "schema": "gpulab.check"; null for what is not known.
std::string check_json(const std::vector<CheckResult>& results, ExitCode exit_code);

// Quotes a word for a shell: 'Grace'\''s file.cu'.
std::string quoted(const std::string& word);

// Returns "shared_histogram.cu:17: counts[input[item]] += 1;" with the whole line, however long: the
// mistake may be at its end.
std::string place_text(const std::string& file, int line, const std::string& source, const TextStyle& style,
                       std::size_t margin = 0);

// Returns the command that checks the file again: "gpulab check shared_histogram.cu".
std::string check_command(const CheckResult& result);

// Returns the command that shows the same result again, on the simulator; empty if nothing was run.
std::string reproduce_command(const CheckResult& result);

// Says what to do after a check. A failure ends with the command that checks again; if the report was brief,
// with the option that shows all.
std::string next_commands(const CheckResult& result, const TextStyle& style, Detail detail = Detail::all);

// Compares the times on a GPU of the learner's kernel, the first of the results, and of the lesson's own
// kernels. Empty if nothing ran there.
std::string gpu_check_table(const std::vector<VariantResult>& on_gpu, const TextStyle& style);

// Lists the exercises, a row for each, and below says how many have passed and which is next.
std::string progress_text(const std::vector<ExerciseStanding>& standings, const TextStyle& style);

// Returns every exercise with its progress, in one document with "schema": "gpulab.progress".
std::string progress_json(const std::vector<ExerciseStanding>& standings);

// Formats hints for a learner, with the command that shows the next hint or, after the last, the solution.
std::string hint_text(const TakenHint& hint, const TextStyle& style, bool has_passed = false);

// Formats results for editors, as GCC writes: "file:line:column: error: text [pattern]", a note for each
// related place, such as the other access of a race, and notes with the hint. Passed files get only notes.
std::string check_gcc(const std::vector<CheckResult>& results);

// Returns JUnit's XML, a test case for each file: an error for a file that could not be checked, a failure
// for a file that was checked and has not passed. Notes with a place are the output of its test case. The
// command is part of the tests' names.
std::string check_junit(const std::vector<CheckResult>& results, const std::string& command = "check");

// Returns Gradescope's results.json: a test of one point for each file. A sheet of questions scores the
// fraction of its answers that are right; a kernel scores 0 or 1.
std::string check_gradescope(const std::vector<CheckResult>& results);

// Returns a results.json with score 0 that says why there are no results.
std::string no_gradescope(const std::string& why);

// Returns SARIF 2.1.0: a result for each thing that is wrong, under a rule for its pattern. Names of files
// become URIs, relative if the file is in the current folder. The exit code is that of gpulab.
std::string check_sarif(const std::vector<CheckResult>& results, int exit_code);

// Returns commands of a GitHub workflow. Exercises get one error for each file that has not passed, because
// GitHub shows only ten errors of a step, and a notice that says how many files have passed. A program gets
// an error or a notice for each finding.
std::string check_github(const std::vector<CheckResult>& results);

// Problem in a file. A check may find several.
struct CheckProblem {
  int line = 1, column = 1;
  std::string source;               // the text of that line
  std::string pattern;              // "race-shared"
  std::string text;                 // what is wrong
  bool is_note = false;             // worth knowing, but no reason to fail
  bool is_allowed = false;          // a note that would be a defect without --allow
  std::vector<CheckPlace> related;  // such as the other access of a race
};

// Returns the problems; the first is what the check is about. A check that has passed has only notes.
std::vector<CheckProblem> problems_of(const CheckResult& result);

// Pattern of a finding that is a compile error.
inline constexpr const char* does_not_compile = "does-not-compile";

// Formats what was seen of a program, to be printed after the program's own output. Empty for a program that
// was not watched and ended well.
std::string program_text(const ProgramResult& result, const TextStyle& style);

// Returns what was seen of a program as a document.
std::string program_json(const ProgramResult& result);

// Converts the findings to check results, so that the formats of checks can show them: a result for each file
// in which something was found, and always one for the program's first file.
std::vector<CheckResult> as_checks(const ProgramResult& result);

// Returns JUnit's XML, in which a program that has not ended with exit code 0 has failed.
std::string program_junit(const ProgramResult& result);

// Returns GitHub's annotations, with one for a program that has not ended with exit code 0, too.
std::string program_github(const ProgramResult& result);

// Returns the accesses of all launches of a kernel, in the form in which lessons show them.
VariantInspection as_inspection(const ProgramResult& result, const KernelCounts& counts);

}  // namespace gpulab::check
