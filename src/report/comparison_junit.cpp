#include <fmt/format.h>

#include "report/comparison_formats.hpp"
#include "report/xml_text.hpp"

namespace gpulab::report {
namespace {

enum class Standing { passed, failed, skipped };

Standing standing_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::invalid:
    case ChangeKind::regressed:
      return Standing::failed;
    case ChangeKind::inconclusive:
    case ChangeKind::missing:
    case ChangeKind::incomparable:
    case ChangeKind::not_judged:
      return Standing::skipped;
    default:
      return Standing::passed;
  }
}

std::string test_case(const Change& change) {
  const std::string id = id_of(change.what).substr(change.what.lesson.size() + 1);
  const std::string figure = change.figure.empty() ? "" : " " + change.figure;
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                 xml_text("gpulab." + change.what.lesson), xml_text(id + figure));
  if (change.unit == FigureUnit::seconds && change.now) text += fmt::format(" time=\"{:.9f}\"", *change.now);
  text += ">\n";
  const std::string line = xml_text(words_of(change.kind) + ": " + change_line(change));
  switch (standing_of(change.kind)) {
    case Standing::failed:
      text += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                          change.kind == ChangeKind::regressed ? "regression" : "wrong_result", line, line);
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
    failed += standing_of(change.kind) == Standing::failed;
    skipped += standing_of(change.kind) == Standing::skipped;
    cases += test_case(change);
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", comparison.changes.size(), failed);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpulab compare\" {}>\n"
      "  <testsuite name=\"gpulab compare\" {} skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      counts, counts, skipped, cases);
}

}  // namespace gpulab::report
