#include <cmath>

#include "report/check_formats.hpp"
#include "report/json_values.hpp"

// https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format

namespace gpulab::report {
namespace {

constexpr double points_of_a_test = 1;

double score_of(const CheckResult& result) {
  if (result.verdict == Verdict::right) return points_of_a_test;
  if (result.questions == 0) return 0;
  const double part = static_cast<double>(result.right_answers) / static_cast<double>(result.questions);
  return points_of_a_test * std::round(100 * part) / 100;
}

Json test_json(const CheckResult& result, std::size_t number) {
  Json tags = Json::array({result.exercise});
  if (result.verdict != Verdict::right) tags.push_back(problems_of(result).front().pattern);
  return {{"name", result.exercise + ": " + result.file},
          {"number", std::to_string(number)},
          {"score", score_of(result)},
          {"max_score", points_of_a_test},
          {"status", result.verdict == Verdict::right ? "passed" : "failed"},
          {"output", check_text(result, {.width = 80})},
          {"output_format", "text"},
          {"tags", tags},
          {"visibility", "visible"}};
}

}  // namespace

std::string check_gradescope(const std::vector<CheckResult>& results) {
  double seconds = 0;
  Json tests = Json::array();
  for (const CheckResult& result : results) {
    seconds += result.seconds;
    tests.push_back(test_json(result, tests.size() + 1));
  }
  return document_text({{"execution_time", seconds},
                        {"output", checks_summary(results)},
                        {"output_format", "text"},
                        {"visibility", "visible"},
                        {"stdout_visibility", "hidden"},
                        {"tests", tests}});
}

std::string no_gradescope(const std::string& why) {
  return document_text({{"score", 0}, {"output", why}, {"output_format", "text"}, {"visibility", "visible"}});
}

}  // namespace gpulab::report
