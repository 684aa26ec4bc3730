#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpulab {

// What was tested and what came of it, for the services and editors that read such reports.

struct TestCase {
  enum class Result { passed, failed, broken, skipped };  // broken: it could not be tested

  std::string group;  // "gpulab.histogram"
  std::string name;
  std::string seconds = {};  // as it is written; empty where nobody took the time
  std::string file = {};
  int line = 0;
  Result result = Result::passed;
  std::string type = {};                   // of what failed: "wrong_result"
  std::string message = {};                // why it has not passed, in a line
  std::string text = {};                   // the same at length
  std::optional<std::string> output = {};  // what else there is to say
};

struct TestSuite {
  std::string name;
  std::vector<TestCase> cases;
  std::string seconds = {}, started_utc = {}, hostname = {};  // empty for those that are not written
};

// The XML that JUnit has made usual. A report of one suite has its counts once more at the top.
std::string junit_text(const TestSuite& suite);
std::string junit_text(const std::string& name, const std::vector<TestSuite>& suites);

// Something to say of a line in a file, or of no file.
struct Annotation {
  enum class Severity { error, warning, note };

  Severity severity = Severity::error;
  std::string file = {};
  int line = 1, column = 1;
  std::string title = {};
  std::string message;
};

// A command for GitHub's runner, such as "::error file=a.cu,line=3,col=1::it is wrong", with what would end a
// value or the line escaped. White space at the end of the message is left out.
std::string github_line(const Annotation& annotation);

// As GCC writes it: "a.cu:3:1: error: it is wrong".
std::string gcc_line(const Annotation& annotation);

// A text for an attribute or an element of XML 1.0. What XML cannot hold, which is control characters and
// bytes that are not UTF-8, becomes U+FFFD.
std::string xml_text(const std::string& text);

}  // namespace gpulab
