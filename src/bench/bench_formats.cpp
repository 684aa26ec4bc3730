#include "bench/bench_formats.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/plot.hpp"
#include "base/table.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/compare.hpp"
#include "bench/result.hpp"

namespace gpulab::bench {
namespace {

// Keys that occur in any row's "options" and "counts".
using KeysByField = std::map<std::string, std::set<std::string>>;

KeysByField keys_by_field(const std::vector<BenchResult>& results) {
  KeysByField keys;
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows) {
      for (const auto& [name, value] : row.what.options) keys["options"].insert(name);
      for (const auto& [name, count] : row.counts) keys["counts"].insert(name);
    }
  return keys;
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

// Archive (see lesson/fields.hpp) that writes a table's row: fields within fields have dots in their names.
class TableRow {
 public:
  static constexpr bool reads = false, is_table = true;

  explicit TableRow(const KeysByField& keys_by_field) : keys_by_field_(keys_by_field) {}

  template <class T>
  void operator()(const std::string& name, const T& value) {
    titles.push_back(prefix_ + name);
    cells.push_back(is_blank_ ? "" : cell_text(value));
  }
  template <class T>
  void operator()(const std::string& name, const std::map<std::string, T>& values) {
    const auto keys = keys_by_field_.find(name);
    if (keys == keys_by_field_.end()) return;
    for (const std::string& key : keys->second) {
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
  const KeysByField& keys_by_field_;
  std::string prefix_;
  bool is_blank_ = false;  // whether the fields have titles only, since the row lacks their struct
};

TableRow table_row(const BenchResult& result, const BenchRow& row, const KeysByField& keys) {
  TableRow table(keys);
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
  const KeysByField keys = keys_by_field(results);
  std::string text = csv_line(table_row({}, {}, keys).titles, rfc_4180);
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows) text += csv_line(table_row(result, row, keys).cells, rfc_4180);
  return text;
}

namespace {

// Returns every time and energy that some case has, in the order of first appearance, and then the sums of
// counts that are not 0 everywhere.
std::vector<std::string> figure_names(const std::vector<CaseFigures>& cases) {
  std::vector<std::string> names;
  for (const CaseFigures& measured : cases)
    for (const BenchFigure& figure : measured.figures)
      if (figure.unit != FigureUnit::count) add_once(names, figure.name);
  for (const CaseFigures& measured : cases)
    for (const CountFigure& figure : count_figures(measured))
      if (figure.value > 0) add_once(names, figure.name);
  return names;
}

std::string figure_cell(const CaseFigures& measured, const std::string& name) {
  for (const CountFigure& counted : count_figures(measured))
    if (counted.name == name) return count_text(counted.value);
  const auto figure = std::ranges::find(measured.figures, name, &BenchFigure::name);
  if (figure == measured.figures.end()) return "";
  return figure_text(figure->unit, figure->value) + half_range_text(*figure);
}

std::string origin_text(const BenchResult& result) {
  std::string text =
      fmt::format("**{}**, {}, gpulab {}", markdown_cell(result.device.name),
                  markdown_cell(result.facts.hostname), markdown_cell(result.facts.build.version));
  if (!result.facts.build.revision.empty())
    text += fmt::format(" ({})", markdown_cell(result.facts.build.revision));
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
  const std::vector<BenchCase> all = transformed(cases, &CaseFigures::what);
  const CaseDifferences differences(all);
  const bool have_options =
      std::ranges::any_of(all, [&](const BenchCase& what) { return !differences.text(what).empty(); });
  std::vector<std::string> titles = {"lesson", "variant", "size", "result"};
  if (have_options) titles.insert(titles.end() - 1, "options");
  for (const std::string& name : names) titles.push_back(markdown_cell(name));
  text += markdown_row(titles) + (have_options ? "|---|---|---:|---|---|" : "|---|---|---:|---|");
  for (std::size_t i = 0; i < names.size(); ++i) text += "---:|";
  text += "\n";
  for (const CaseFigures& measured : cases) {
    const std::string wrong =
        (measured.was_run ? "**wrong**: " : "not run: ") + markdown_cell(measured.explanation);
    std::vector<std::string> cells = {markdown_cell(measured.what.lesson),
                                      markdown_cell(measured.what.variant), grouped(measured.what.size)};
    if (have_options) cells.push_back(markdown_cell(differences.text(measured.what)));
    cells.push_back(measured.valid ? "right" : wrong);
    for (const std::string& name : names) cells.push_back(measured.valid ? figure_cell(measured, name) : "");
    text += markdown_row(cells);
  }
  return text;
}

namespace {

TestCase::Result result_of(const BenchRow& row) {
  if (row.valid) return TestCase::Result::passed;
  return row.observed == Outcome::not_run ? TestCase::Result::skipped : TestCase::Result::failed;
}

// Returns the seconds of the kernel or of the reference, whichever the row is about; 0 if it was not timed.
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

TestCase test_case(const BenchRow& row, const BenchResult& result) {
  const std::string id = id_of(row.what).substr(row.what.lesson.size() + 1);
  const std::string why = row.explanation.empty() ? "the result is wrong" : row.explanation;
  const Annotation place = row.valid ? Annotation{.line = 0} : annotation_of(row.what, result);
  return {.group = "gpulab." + row.what.lesson,
          .name = id + (result.plan.processes > 1 ? fmt::format(" process={}", row.process) : ""),
          .seconds = fmt::format("{:.9f}", time_of_row_s(row)),
          .file = place.file,
          .line = place.line,
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
    for (const BenchRow& row : result.rows) suite.cases.push_back(test_case(row, result));
    if (!result.complete())
      suite.cases.push_back({.group = "gpulab.bench",
                             .name = "every row was measured",
                             .result = TestCase::Result::broken,
                             .type = "incomplete",
                             .message = rows_measured(result),
                             .text = rows_measured(result)});
    suites.push_back(std::move(suite));
  }
  return junit_text("gpulab bench", suites);
}

namespace {

std::vector<std::pair<std::string, std::string>> named_settings(const BenchCase& what) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& [name, value] : what.options) settings.emplace_back(name, text_of(value));
  settings.emplace_back("seed", std::to_string(what.seed));
  settings.emplace_back("block", what.block_size > 0 ? std::to_string(what.block_size) : "own");
  return settings;
}

}  // namespace

CaseDifferences::CaseDifferences(const std::vector<BenchCase>& cases) {
  for (const BenchCase& what : cases)
    for (const auto& [name, value] : named_settings(what)) values_[what.lesson][name].insert(value);
}

std::string CaseDifferences::text(const BenchCase& what) const {
  std::string text;
  for (const auto& [name, value] : named_settings(what))
    if (values_.at(what.lesson).at(name).size() > 1) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

std::optional<double> bench_rate(const Traffic& traffic, std::optional<double> seconds) {
  const double work =
      traffic.limited_by_operations ? traffic.operations : traffic.bytes_read + traffic.bytes_written;
  if (!seconds || *seconds <= 0 || work <= 0) return std::nullopt;
  return work / *seconds;
}

std::optional<double> sum_of_counts(const CaseFigures& measured, std::string_view ending) {
  std::optional<double> sum;
  if (!measured.has_figures()) return sum;
  for (const BenchFigure& figure : measured.figures)
    if (figure.unit == FigureUnit::count &&
        (figure.name == ending || figure.name.ends_with("_" + std::string(ending))))
      sum = sum.value_or(0) + figure.value;
  return sum;
}

std::vector<CountFigure> count_figures(const CaseFigures& measured) {
  std::vector<CountFigure> figures;
  const auto add = [&](const char* ending, const char* name, const char* title, const char* explanation) {
    if (const auto sum = sum_of_counts(measured, ending)) figures.push_back({name, title, explanation, *sum});
  };
  add("sectors", "sectors", "Sectors of global memory",
      "32-byte pieces of global memory that were touched, added over the requests of warps");
  add("wavefronts", "wavefronts", "Wavefronts of shared memory",
      "times that the busiest bank of shared memory had to answer, added over requests");
  add("lanes_at_one_address", "at one address", "Atomics at one address",
      "lanes that met at one address in an atomic, added over requests");
  const auto requests = sum_of_counts(measured, "requests"), lanes = sum_of_counts(measured, "active_lanes");
  if (requests && lanes && *requests > 0)
    figures.push_back({"active lanes", "Active lanes",
                       "lanes that took part in a request, on average; 32 is a whole warp",
                       *lanes / *requests});
  return figures;
}

std::string count_text(double value) {
  if (value == std::floor(value)) return grouped(static_cast<std::uint64_t>(value));
  std::string text = three_digits(value);
  if (value < 1 || text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);  // 31.98 becomes "32", like the whole numbers in its column
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

namespace {

// Figure that is drawn over size; none if the case lacks it.
using PlottedFigure = std::function<std::optional<double>(const CaseFigures&)>;

// Returns the rate in GB/s or, for a problem that is limited by operations, in GFLOP/s.
std::optional<double> plotted_rate(const CaseFigures& measured) {
  const auto seconds = measured.kernel_s();
  const auto rate = seconds ? bench_rate(measured.traffic, seconds->value) : std::nullopt;
  return rate ? std::optional(*rate * 1e-9) : std::nullopt;
}

std::optional<double> plotted_time(const CaseFigures& measured) {
  const auto seconds = measured.kernel_s();
  return seconds ? std::optional(seconds->value) : std::nullopt;
}

std::vector<Series> series_of(const BenchSection& section, const PlottedFigure& figure) {
  std::vector<Series> series;
  for (const CaseFigures& measured : section.cases) {
    const auto value = figure(measured);
    if (!value) continue;
    auto found = std::ranges::find(series, measured.what.variant, &Series::name);
    if (found == series.end()) found = series.insert(series.end(), Series{measured.what.variant, {}});
    found->points.emplace_back(static_cast<double>(measured.what.size), *value);
  }
  return series;
}

std::string section_plot(const BenchSection& section, const std::string& count, const TextStyle& style) {
  PlotAxis y{.title = count};
  std::vector<Series> series;
  if (!count.empty()) {
    series = series_of(section, [&](const CaseFigures& measured) { return sum_of_counts(measured, count); });
  } else if (series = series_of(section, plotted_rate); !series.empty()) {
    y.title = section.is_by_operations() ? "GFLOP/s" : "GB/s";
  } else {
    series = series_of(section, plotted_time);
    y = {.title = "time", .tick_text = duration_text};
  }
  if (series.empty()) return "nothing was measured that could be drawn\n";
  return plot(series, {.title = "work items", .tick_text = size_tick_text}, y, style);
}

}  // namespace

std::string bench_plot(const BenchResult& result, const TextStyle& style,
                       const std::map<std::string, std::string>& counts) {
  std::string text;
  for (const BenchSection& section : bench_sections(cases_in_order({result}))) {
    text += (text.empty() ? "" : "\n") + paragraph(section.title(), Ink::bold, style);
    const std::vector<std::size_t> sizes = section.sizes();
    const auto chosen = counts.find(section.lesson);
    const std::string count = !result.device.simulated() ? ""
                              : chosen == counts.end()   ? "sectors"
                                                         : chosen->second;
    text +=
        sizes.size() > 1
            ? section_plot(section, count, style)
            : paragraph(
                  fmt::format("only size {} was measured; a plot needs several, such as --size 2^16..2^26:x4",
                              grouped(sizes.front())),
                  Ink::plain, style);
  }
  return text;
}

}  // namespace gpulab::bench
