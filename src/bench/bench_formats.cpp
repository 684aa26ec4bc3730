#include "bench/bench_formats.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <set>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/compare.hpp"
#include "bench/result.hpp"
#include "lesson/words.hpp"

namespace gpulab::bench {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

template <class T>
std::string number_text(T value) {
  return fmt::format("{}", value);
}

template <class T>
std::string known_text(T value) {
  return value > 0 ? number_text(value) : "";
}

// The fields of options and counts that any row has.
struct FieldNames {
  std::set<std::string> options, counts;
};

FieldNames field_names(const std::vector<BenchResult>& results) {
  FieldNames names;
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows) {
      for (const auto& [name, value] : row.what.options) names.options.insert(name);
      for (const auto& [name, count] : row.counts) names.counts.insert(name);
    }
  return names;
}

// Title and text of each field of a row.
using Fields = std::vector<std::pair<std::string, std::string>>;

void add_case(const BenchRow& row, const FieldNames& names, Fields& fields) {
  const BenchCase& what = row.what;
  fields.insert(fields.end(), {{"id", id_of(what)},
                               {"lesson", what.lesson},
                               {"variant", what.variant},
                               {"kind", std::string(name_of(row.kind))},
                               {"size", number_text(what.size)},
                               {"seed", number_text(what.seed)}});
  for (const std::string& name : names.options) {
    const auto found = what.options.find(name);
    fields.emplace_back("options." + name, found == what.options.end() ? "" : text_of(found->second));
  }
  fields.insert(fields.end(), {{"block_size", known_text(what.block_size)},
                               {"process", number_text(row.process)},
                               {"position", number_text(row.position)},
                               {"expected", identifier(row.expected)},
                               {"observed", identifier(row.observed)},
                               {"valid", row.valid ? "true" : "false"},
                               {"explanation", row.explanation},
                               {"bytes_read", number_text(row.traffic.bytes_read)},
                               {"bytes_written", number_text(row.traffic.bytes_written)},
                               {"operations", number_text(row.traffic.operations)},
                               {"limited_by", row.traffic.limited_by_operations ? "operations" : "memory"}});
}

void add_time(const BenchRow& row, BenchTime time, Fields& fields) {
  const auto found = row.times.find(time);
  const Timing* const timing = found == row.times.end() ? nullptr : &found->second;
  const auto add = [&](const std::string& field, const auto& text_of_timing) {
    fields.emplace_back(std::string(name_of(time)) + "." + field, timing ? text_of_timing(*timing) : "");
  };
  add("median_s", [](const Timing& taken) { return number_text(taken.median_s); });
  add("low_s",
      [](const Timing& taken) { return taken.confidence_s ? number_text(taken.confidence_s->low) : ""; });
  add("high_s",
      [](const Timing& taken) { return taken.confidence_s ? number_text(taken.confidence_s->high) : ""; });
  add("samples", [](const Timing& taken) { return number_text(taken.samples_s.size()); });
  add("stop", [](const Timing& taken) { return identifier(taken.stop); });
  add("clock_hz", [](const Timing& taken) {
    return taken.clocks_hz.empty() ? "" : number_text(median(taken.clocks_hz));
  });
}

void add_energy_and_counts(const BenchRow& row, const FieldNames& names, Fields& fields) {
  const auto& energy = row.energy;
  fields.insert(fields.end(), {{"energy.joules_per_run", energy ? number_text(energy->joules_per_run) : ""},
                               {"energy.watts", energy ? number_text(energy->watts) : ""},
                               {"energy.seconds", energy ? number_text(energy->seconds) : ""}});
  for (const std::string& name : names.counts) {
    const auto found = row.counts.find(name);
    fields.emplace_back("counts." + name, found == row.counts.end() ? "" : number_text(found->second));
  }
  std::string warnings;
  for (const std::string& warning : row.warnings) warnings += (warnings.empty() ? "" : "; ") + warning;
  fields.emplace_back("warnings", warnings);
}

void add_origin(const BenchResult& result, Fields& fields) {
  fields.insert(fields.end(), {{"device.kind", result.device.kind},
                               {"device.name", result.device.name},
                               {"device.driver", result.device.driver_version},
                               {"host.hostname", result.facts.hostname},
                               {"tool.version", result.facts.build.version},
                               {"tool.revision", result.facts.build.revision},
                               {"run.started_utc", result.facts.started_utc}});
}

Fields fields_of(const BenchResult& result, const BenchRow& row, const FieldNames& names) {
  Fields fields;
  add_case(row, names, fields);
  for (const BenchTime time : all_bench_times) add_time(row, time, fields);
  add_energy_and_counts(row, names, fields);
  add_origin(result, fields);
  return fields;
}

std::string csv_line(const Fields& fields, std::string Fields::value_type::*part) {
  std::string text;
  for (const auto& field : fields) text += (text.empty() ? "" : ",") + csv_cell(field.*part);
  return text + "\r\n";
}

}  // namespace

std::string bench_csv(const std::vector<BenchResult>& results) {
  const FieldNames names = field_names(results);
  std::string text = csv_line(fields_of({}, {}, names), &Fields::value_type::first);
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows)
      text += csv_line(fields_of(result, row, names), &Fields::value_type::second);
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

bool was_skipped(const BenchRow& row) {
  return !row.valid && row.observed == Outcome::not_run;
}

bool has_failed(const BenchRow& row) {
  return !row.valid && !was_skipped(row);
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

std::string test_case(const BenchRow& row, bool tell_processes) {
  const std::string id = id_of(row.what).substr(row.what.lesson.size() + 1);
  const std::string process = tell_processes ? fmt::format(" process={}", row.process) : "";
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\">\n",
                  xml_text("gpulab." + row.what.lesson), xml_text(id + process), time_of_row_s(row));
  const std::string why = xml_text(row.explanation.empty() ? "the result is wrong" : row.explanation);
  if (has_failed(row))
    text += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", identifier(row.observed),
                        why, why);
  if (was_skipped(row)) text += fmt::format("      <skipped message=\"{}\"/>\n", why);
  if (const std::string figures = row_figures_text(row); !figures.empty())
    text += fmt::format("      <system-out>{}</system-out>\n", xml_text(figures));
  return text + "    </testcase>\n";
}

std::string suite(const BenchResult& result) {
  std::size_t failed = 0, skipped = 0;
  std::string cases;
  for (const BenchRow& row : result.rows) {
    failed += has_failed(row);
    skipped += was_skipped(row);
    cases += test_case(row, result.plan.processes > 1);
  }
  return fmt::format(
      "  <testsuite name=\"gpulab bench, {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
      "timestamp=\"{}\" hostname=\"{}\">\n{}  </testsuite>\n",
      xml_text(result.device.name), result.rows.size(), failed, skipped, xml_text(result.facts.started_utc),
      xml_text(result.facts.hostname), cases);
}

}  // namespace

std::string bench_junit(const std::vector<BenchResult>& results) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpulab bench\">\n";
  for (const BenchResult& result : results) text += suite(result);
  return text + "</testsuites>\n";
}

}  // namespace gpulab::bench
