#include <fmt/format.h>

#include "report/comparison_formats.hpp"
#include "report/xml_text.hpp"

namespace gpulab::report {
namespace {

enum class Standing { passed, failed, skipped };

Standing standing_of(ChangeKind kind, const ComparisonRules& rules) {
  if (is_failure(kind, rules)) return Standing::failed;
  switch (kind) {
    case ChangeKind::inconclusive:
    case ChangeKind::missing:
    case ChangeKind::incomparable:
    case ChangeKind::not_judged:
      return Standing::skipped;
    default:
      return Standing::passed;
  }
}

// "regression", "wrong_result", "missing"
std::string failure_type(ChangeKind kind) {
  if (kind == ChangeKind::regressed) return "regression";
  return kind == ChangeKind::invalid ? "wrong_result" : std::string(name_of(kind));
}

std::string test_case(const Change& change, const ComparisonRules& rules) {
  const std::string id = id_of(change.what).substr(change.what.lesson.size() + 1);
  const std::string figure = change.figure.empty() ? "" : " " + change.figure;
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                 xml_text("gpulab." + change.what.lesson), xml_text(id + figure));
  if (change.unit == FigureUnit::seconds && change.now) text += fmt::format(" time=\"{:.9f}\"", *change.now);
  text += ">\n";
  const std::string line = xml_text(words_of(change.kind) + ": " + change_line(change));
  switch (standing_of(change.kind, rules)) {
    case Standing::failed:
      text += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                          failure_type(change.kind), line, line);
      break;
    case Standing::skipped:
      text += fmt::format("      <skipped message=\"{}\"/>\n", line);
      break;
    case Standing::passed:
      text += fmt::format("      <system-out>{}</system-out>\n", line);
  }
  return text + "    </testcase>\n";
}

}  // namespace

std::string comparison_junit(const Comparison& comparison) {
  std::size_t failed = 0, skipped = 0;
  std::string cases;
  for (const Change& change : comparison.changes) {
    const Standing standing = standing_of(change.kind, comparison.rules);
    failed += standing == Standing::failed;
    skipped += standing == Standing::skipped;
    cases += test_case(change, comparison.rules);
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", comparison.changes.size(), failed);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpulab compare\" {}>\n"
      "  <testsuite name=\"gpulab compare\" {} skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      counts, counts, skipped, cases);
}

}  // namespace gpulab::report
