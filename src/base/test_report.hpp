#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpulab {

// Test results for services and editors that read JUnit, GitHub or GCC formats.

struct TestCase {
  enum class Result { passed, failed, broken, skipped };  // broken: could not be tested

  std::string group;  // "gpulab.histogram"
  std::string name;
  std::string seconds = {};  // as text; empty if not timed
  std::string file = {};
  int line = 0;
  Result result = Result::passed;
  std::string type = {};                   // kind of failure: "wrong_result"
  std::string message = {};                // the reason in one line
  std::string text = {};                   // the reason at length
  std::optional<std::string> output = {};  // further output
};

struct TestSuite {
  std::string name;
  std::vector<TestCase> cases;
  std::string seconds = {}, started_utc = {}, hostname = {};  // empty ones are not written
};

// Writes JUnit XML, with the counts of all suites at the top.
std::string junit_text(const TestSuite& suite);
std::string junit_text(const std::string& name, const std::vector<TestSuite>& suites);

// A message about a line in a file, or without a file.
struct Annotation {
  enum class Severity { error, warning, note };

  Severity severity = Severity::error;
  std::string file = {};
  int line = 1, column = 1;
  std::string title = {};
  std::string message;
};

// Formats a command for GitHub's runner, "::error file=a.cu,line=3,col=1::it is wrong", with special
// characters escaped. Drops white space at the end of the message.
std::string github_line(const Annotation& annotation);

// Formats like GCC: "a.cu:3:1: error: it is wrong".
std::string gcc_line(const Annotation& annotation);

// Escapes text for XML 1.0. Control characters and invalid UTF-8, which XML cannot hold, become U+FFFD.
std::string xml_text(const std::string& text);

}  // namespace gpulab
