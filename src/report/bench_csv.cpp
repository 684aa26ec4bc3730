#include <fmt/format.h>
#include <set>

#include "core/median.hpp"
#include "report/bench_formats.hpp"
#include "report/words.hpp"

namespace gpulab::report {
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

}  // namespace gpulab::report
