#include "core/text.hpp"
#include "report/case_text.hpp"
#include "report/comparison_formats.hpp"
#include "report/markdown_text.hpp"

namespace gpulab::report {
namespace {

std::string sentence(const std::string& text) {
  return text + "\n\n";
}

std::vector<std::string> markdown_cells(const Change& change, const CaseDifferences& differences) {
  const bool stands_out = change.kind == ChangeKind::regressed || change.kind == ChangeKind::invalid;
  const std::string words = words_of(change.kind);
  const auto figure = [&](const std::optional<double>& value) {
    return value ? figure_text(change.unit, value) : "";
  };
  const std::string options = differences.text(change.what);
  return {stands_out ? "**" + words + "**" : words,
          markdown_cell(change.what.lesson),
          markdown_cell(change.what.variant),
          grouped(change.what.size),
          markdown_cell(options),
          markdown_cell(change.figure),
          figure(change.before),
          figure(change.now),
          ratio_text(change.ratio),
          ratio_text(change.ratio_range),
          markdown_cell(change.reason)};
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, Shown shown) {
  std::vector<BenchCase> cases;
  for (const Change& change : comparison.changes) cases.push_back(change.what);
  const CaseDifferences differences(cases);
  std::string rows;
  for (const Change& change : comparison.changes)
    if (shown == Shown::all || (change.kind != ChangeKind::same && change.kind != ChangeKind::not_judged))
      rows += markdown_row(markdown_cells(change, differences));
  std::string text = sentence("**" + comparison_summary(comparison) + "**");
  if (!rows.empty())
    text +=
        "| verdict | lesson | variant | size | options | figure | before | now | ratio | range | why |\n"
        "|---|---|---|---:|---|---|---:|---:|---:|---|---|\n" +
        rows + "\n";
  text +=
      sentence("On " + markdown_cell(comparison.now.front().device.name) + ". The ratio is now / before.");
  for (const std::string& remark : comparison.remarks) text += "- " + markdown_cell(remark) + "\n";
  return text;
}

}  // namespace gpulab::report
