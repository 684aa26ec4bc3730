#include "report/comparison_formats.hpp"

namespace gpulab::report {
namespace {

// In a workflow command a line break ends the message; a property ends at a comma or colon, too.
std::string escaped(const std::string& text, bool is_property) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '%')
      safe += "%25";
    else if (letter == '\r')
      safe += "%0D";
    else if (letter == '\n')
      safe += "%0A";
    else if (is_property && letter == ':')
      safe += "%3A";
    else if (is_property && letter == ',')
      safe += "%2C";
    else
      safe += letter;
  }
  return safe;
}

std::string command(const std::string& kind, const std::string& title, const std::string& message) {
  return "::" + kind + " title=" + escaped(title, true) + "::" + escaped(message, false) + "\n";
}

std::string severity(ChangeKind kind, const ComparisonRules& rules) {
  if (is_failure(kind, rules)) return "error";
  switch (kind) {
    case ChangeKind::inconclusive:
    case ChangeKind::missing:
    case ChangeKind::incomparable:
      return "warning";
    default:
      return "";
  }
}

}  // namespace

std::string comparison_github(const Comparison& comparison) {
  std::string text;
  for (const Change& change : comparison.changes) {
    const std::string kind = severity(change.kind, comparison.rules);
    if (!kind.empty())
      text += command(
          kind, "gpulab: " + change.what.lesson + " " + change.what.variant + " " + words_of(change.kind),
          change_line(change));
  }
  for (const std::string& remark : comparison.remarks) text += command("notice", "gpulab", remark);
  return text + command("notice", "gpulab compare", comparison_summary(comparison));
}

}  // namespace gpulab::report
