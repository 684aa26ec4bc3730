#include <fmt/format.h>
#include <algorithm>

#include "report/check_formats.hpp"
#include "report/xml_text.hpp"

namespace gpulab::report {
namespace {

std::string test_case(const CheckResult& result) {
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\" file=\"{}\"",
                  xml_text(result.exercise.empty() ? "gpulab.run" : "gpulab." + result.exercise),
                  xml_text(result.file), result.seconds, xml_text(result.file));
  const std::vector<CheckProblem> problems = problems_of(result);
  if (problems.empty()) return text + "/>\n";
  const char* const element = result.verdict == Verdict::not_checked ? "error" : "failure";
  if (result.line > 0) text += fmt::format(" line=\"{}\"", result.line);
  return text + fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                            element, xml_text(problems[0].pattern), xml_text(problems[0].text),
                            xml_text(check_text(result, {})));
}

}  // namespace

std::string check_junit(const std::vector<CheckResult>& results) {
  double seconds = 0;
  std::string cases;
  for (const CheckResult& result : results) {
    seconds += result.seconds;
    cases += test_case(result);
  }
  const auto passed = std::ranges::count(results, Verdict::right, &CheckResult::verdict);
  const auto errors = std::ranges::count(results, Verdict::not_checked, &CheckResult::verdict);
  const std::string counts =
      fmt::format("name=\"gpulab check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"",
                  results.size(), std::ssize(results) - passed - errors, errors, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite {0} skipped=\"0\">\n{1}"
      "  </testsuite>\n</testsuites>\n",
      counts, cases);
}

}  // namespace gpulab::report
