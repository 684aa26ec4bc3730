#include "report/comparison_formats.hpp"
#include "report/workflow_command.hpp"

namespace gpulab::report {
namespace {

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
      text += workflow_command(kind,
                               {{"title", "gpulab: " + change.what.lesson + " " + change.what.variant + " " +
                                              words_of(change.kind)}},
                               change_line(change));
  }
  for (const std::string& remark : comparison.remarks)
    text += workflow_command("notice", {{"title", "gpulab"}}, remark);
  return text + workflow_command("notice", {{"title", "gpulab compare"}}, comparison_summary(comparison));
}

}  // namespace gpulab::report
