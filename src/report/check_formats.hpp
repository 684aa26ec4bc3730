#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

// What check found, as graders, services and editors read it. Each is a function of the results alone.

namespace gpulab::report {

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

}  // namespace gpulab::report
