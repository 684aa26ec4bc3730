#include <algorithm>
#include <optional>

#include "core/bench_figures.hpp"
#include "core/text.hpp"
#include "report/bench_formats.hpp"
#include "report/case_text.hpp"
#include "report/comparison_formats.hpp"
#include "report/markdown_text.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report {
namespace {

// Every figure that some case has, in the order of the first that has most.
std::vector<std::string> figure_names(const std::vector<CaseFigures>& cases) {
  std::vector<std::string> names;
  for (const CaseFigures& one : cases)
    for (const BenchFigure& figure : one.figures)
      if (std::ranges::find(names, figure.name) == names.end()) names.push_back(figure.name);
  return names;
}

std::string figure_cell(const CaseFigures& one, const std::string& name) {
  const auto figure = std::ranges::find(one.figures, name, &BenchFigure::name);
  if (figure == one.figures.end()) return "";
  std::string text = figure_text(figure->unit, figure->value);
  if (figure->range && figure->value > 0)
    text += " ± " + percent_text((figure->range->high - figure->range->low) / 2 / figure->value);
  return text;
}

std::string origin_text(const BenchResult& result) {
  std::string text = "**" + markdown_cell(result.device.name) + "**, " +
                     markdown_cell(result.facts.hostname) + ", gpulab " +
                     markdown_cell(result.facts.build.version);
  if (!result.facts.build.revision.empty()) text += " (" + markdown_cell(result.facts.build.revision) + ")";
  text += ", " + markdown_cell(result.facts.started_utc) + "\n";
  if (!result.complete()) text += "\n**Incomplete**: " + markdown_cell(result.stopped_by) + "\n";
  return text + "\n";
}

}  // namespace

std::string bench_markdown(const std::vector<BenchResult>& results) {
  std::string text;
  for (const BenchResult& result : results) text += origin_text(result);
  const std::vector<CaseFigures> cases = case_figures(results);
  const std::vector<std::string> names = figure_names(cases);
  std::vector<BenchCase> all;
  for (const CaseFigures& one : cases) all.push_back(one.what);
  const CaseDifferences differences(all);
  std::vector<std::string> titles = {"lesson", "variant", "size", "options", "result"};
  for (const std::string& name : names) titles.push_back(markdown_cell(name));
  text += markdown_row(titles) + "|---|---|---:|---|---|";
  for (std::size_t i = 0; i < names.size(); ++i) text += "---:|";
  text += "\n";
  for (const CaseFigures& one : cases) {
    const std::string wrong = (one.was_run ? "**wrong**: " : "not run: ") + markdown_cell(one.explanation);
    std::vector<std::string> cells = {markdown_cell(one.what.lesson), markdown_cell(one.what.variant),
                                      grouped(one.what.size), markdown_cell(differences.text(one.what)),
                                      one.valid ? "right" : wrong};
    for (const std::string& name : names) cells.push_back(one.valid ? figure_cell(one, name) : "");
    text += markdown_row(cells);
  }
  return text;
}

}  // namespace gpulab::report
