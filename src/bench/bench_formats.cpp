#include "bench/bench_formats.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/compare.hpp"
#include "bench/fields.hpp"
#include "bench/result.hpp"

namespace gpulab::bench {
namespace {

// The names that the maps of any row have: of "options", of "counts".
using MapNames = std::map<std::string, std::set<std::string>>;

MapNames map_names(const std::vector<BenchResult>& results) {
  MapNames names;
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows) {
      for (const auto& [name, value] : row.what.options) names["options"].insert(name);
      for (const auto& [name, count] : row.counts) names["counts"].insert(name);
    }
  return names;
}

std::string cell_text(const std::string& text) {
  return text;
}
std::string cell_text(bool value) {
  return value ? "true" : "false";
}
std::string cell_text(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}
std::string cell_text(const OptionValue& value) {
  return text_of(value);
}
template <class T>
requires std::is_arithmetic_v<T> std::string cell_text(T number) {
  return fmt::format("{}", number);
}

// An archive (see lesson/fields.hpp) that writes a row of a table: fields within fields have dots in their
// names.
class TableRow {
 public:
  static constexpr bool reads = false, is_table = true;

  explicit TableRow(const MapNames& map_names) : map_names_(map_names) {}

  template <class T>
  void operator()(const std::string& name, const T& value) {
    titles.push_back(prefix_ + name);
    cells.push_back(is_blank_ ? "" : cell_text(value));
  }
  template <class T>
  void operator()(const std::string& name, const std::map<std::string, T>& values) {
    const auto names = map_names_.find(name);
    if (names == map_names_.end()) return;
    for (const std::string& key : names->second) {
      const auto found = values.find(key);
      known(name + "." + key, found == values.end() ? std::nullopt : std::optional(found->second));
    }
  }
  template <class T>
  void optional(const std::string& name, const T& value) {
    (*this)(name, value);
  }
  template <class T>
  void known(const std::string& name, const T& value) {
    (*this)(name, is_known(value) ? cell_text(value) : "");
  }
  template <class T>
  void known(const std::string& name, const std::optional<T>& value) {
    if constexpr (HasFields<const T, TableRow>) {
      prefix_ = name + ".";
      is_blank_ = !value;
      const T none{};
      fields(*this, value ? *value : none);
      prefix_.clear();
      is_blank_ = false;
    } else {
      (*this)(name, value ? cell_text(*value) : "");
    }
  }
  template <class E>
  void word(const std::string& name, E value, E /*last*/, E /*unknown*/) {
    (*this)(name, identifier(value));
  }
  template <class Value>
  void derived(const std::string& name, const Value& value) {
    if constexpr (is_optional<decltype(value())>)
      known(name, value());
    else
      (*this)(name, value());
  }

  std::vector<std::string> titles, cells;

 private:
  const MapNames& map_names_;
  std::string prefix_;
  bool is_blank_ = false;
};

TableRow table_row(const BenchResult& result, const BenchRow& row, const MapNames& names) {
  TableRow table(names);
  fields(table, row);
  table("device.kind", result.device.kind);
  table("device.name", result.device.name);
  table("device.driver", result.device.driver_version);
  table("host.hostname", result.facts.hostname);
  table("tool.version", result.facts.build.version);
  table("tool.revision", result.facts.build.revision);
  table("run.started_utc", result.facts.started_utc);
  return table;
}

}  // namespace

std::string bench_csv(const std::vector<BenchResult>& results) {
  const MapNames names = map_names(results);
  std::string text = csv_line(table_row({}, {}, names).titles, rfc_4180);
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows) text += csv_line(table_row(result, row, names).cells, rfc_4180);
  return text;
}

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

namespace {

TestCase::Result result_of(const BenchRow& row) {
  if (row.valid) return TestCase::Result::passed;
  return row.observed == Outcome::not_run ? TestCase::Result::skipped : TestCase::Result::failed;
}

// Seconds of the work that it is about: of the kernel or, where that was not timed, of the reference.
double time_of_row_s(const BenchRow& row) {
  for (const BenchTime time : {BenchTime::cold, BenchTime::steady, BenchTime::cpu})
    if (const auto found = row.times.find(time); found != row.times.end()) return found->second.median_s;
  return 0;
}

std::string row_figures_text(const BenchRow& row) {
  std::string text;
  for (const auto& [time, timing] : row.times)
    text += fmt::format("{} {}\n", name_of(time), duration_text(timing.median_s));
  if (row.energy) text += fmt::format("energy {:.3g} J\n", row.energy->joules_per_run);
  for (const auto& [name, count] : row.counts) text += fmt::format("{} {}\n", name, count);
  for (const std::string& warning : row.warnings) text += "warning: " + warning + "\n";
  return text;
}

TestCase test_case(const BenchRow& row, bool tell_processes) {
  const std::string id = id_of(row.what).substr(row.what.lesson.size() + 1);
  const std::string why = row.explanation.empty() ? "the result is wrong" : row.explanation;
  return {.group = "gpulab." + row.what.lesson,
          .name = id + (tell_processes ? fmt::format(" process={}", row.process) : ""),
          .seconds = fmt::format("{:.9f}", time_of_row_s(row)),
          .result = result_of(row),
          .type = identifier(row.observed),
          .message = why,
          .text = why,
          .output = row_figures_text(row)};
}

}  // namespace

std::string bench_junit(const std::vector<BenchResult>& results) {
  std::vector<TestSuite> suites;
  for (const BenchResult& result : results) {
    TestSuite suite{.name = "gpulab bench, " + result.device.name,
                    .started_utc = result.facts.started_utc,
                    .hostname = result.facts.hostname};
    for (const BenchRow& row : result.rows) suite.cases.push_back(test_case(row, result.plan.processes > 1));
    suites.push_back(std::move(suite));
  }
  return junit_text("gpulab bench", suites);
}

}  // namespace gpulab::bench
