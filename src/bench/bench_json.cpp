#include <fmt/format.h>
#include <algorithm>
#include <new>
#include <set>
#include <stdexcept>

#include "bench/bench_formats.hpp"
#include "bench/result.hpp"
#include "lesson/json_fields.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::bench {
namespace {

Json facts_json(const BenchResult& result) {
  Json device =
      device_json(result.device, {"kind", "index", "name", "compute_capability", "multiprocessors",
                                  "memory_bytes", "l2_bytes", "clock_hz", "memory_clock_hz",
                                  "peak_bytes_per_s", "peak_operations_per_s", "driver", "compiler_version"});
  device["fallback"] = text_or_null(result.facts.fallback);
  return {{"schema", "gpulab.bench"},
          {"schema_version", "1.8.0"},
          {"tool", tool_json(result.facts.build)},
          {"run", run_json(result.facts)},
          {"host", host_json(result.facts)},
          {"device", device},
          {"plan", json_of(result.plan)}};
}

Json end_json(const BenchResult& result) {
  JsonWriter json;
  end_fields(json, result);
  return json.object;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string GrowingBenchJson::document(const BenchResult& result) {
  for (; count_ < result.rows.size(); ++count_) {
    rows_ += count_ == 0 ? "\n" : ",\n";
    rows_ += json_of(result.rows[count_]).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  Json facts = facts_json(result);
  facts.update(end_json(result));
  // Inserts the rows before the last brace, each in one line: document_text() gives each sample a line.
  std::string text = document_text(facts);
  text.resize(text.rfind("\n}"));
  return fmt::format("{},\n  \"results\": [{}\n  ]\n}}\n", text, rows_);
}

std::string bench_json(const BenchResult& result) {
  return GrowingBenchJson().document(result);
}

std::string bench_plan_json(const BenchResult& planned, double estimated_s) {
  Json facts = facts_json(planned);
  facts.update(end_json(planned));
  facts["plan"]["order"] = planned.plan.order;
  facts["plan"]["estimated_s"] = estimated_s;
  facts["results"] = Json::array();
  return document_text(facts);
}

std::string bench_facts_line(const BenchResult& result) {
  Json facts = facts_json(result);
  facts["plan"].update(
      {{"order", result.plan.order}, {"rough_s", result.plan.rough_s}, {"ruled_out", result.plan.ruled_out}});
  return line_of(facts);
}

std::string bench_row_line(const BenchRow& row) {
  return line_of(json_of(row));
}

std::string bench_end_line(const BenchResult& result) {
  return line_of(end_json(result));
}

// JSON of other tools. Each format's requirements are in its test.

namespace {

struct PlottedValue {
  BenchCase what;
  BenchKind kind = BenchKind::kernel;
  BenchFigure figure;
};

// Returns the figures that can be plotted: those of right results.
std::vector<PlottedValue> plotted_values(const std::vector<BenchResult>& results) {
  std::vector<PlottedValue> all;
  for (const CaseFigures& measured : case_figures(results))
    if (measured.valid)
      for (const BenchFigure& figure : measured.figures)
        all.push_back({measured.what, measured.kind, figure});
  return all;
}

void require_not_empty(const Json& list, const std::string& what) {
  if (list.empty()) throw UsageError("there is nothing to write: no right result has " + what);
}

// Returns a measure's name in Bencher: "latency" for cold and CPU times, else "steady-latency" and the like.
std::string measure_of(const BenchFigure& figure) {
  if (figure.name == name_of(BenchTime::cold) || figure.name == name_of(BenchTime::cpu)) return "latency";
  std::string name = figure.name + (figure.unit == FigureUnit::seconds ? "-latency" : "");
  std::ranges::replace(name, '_', '-');
  return name;
}

// Return the value of a figure, converted if it is a time. Energies and counts stay as they are.
double in_ns(const BenchFigure& figure, double value) {
  return figure.unit == FigureUnit::seconds ? value * 1e9 : value;
}

double in_us(const BenchFigure& figure, double value) {
  return figure.unit == FigureUnit::seconds ? value * 1e6 : value;
}

std::string unit_in_us(const BenchFigure& figure) {
  return figure.unit == FigureUnit::seconds ? "us" : std::string(name_of(figure.unit));
}

std::string device_name(const std::vector<BenchResult>& results) {
  return results.empty() ? "" : results.front().device.name;
}

Json gbench_context(const BenchResult& result) {
  const BuildFacts& build = result.facts.build;
  return {{"date", result.facts.started_utc},
          {"host_name", result.facts.hostname},
          {"executable", result.facts.argv.empty() ? "gpulab" : result.facts.argv.front()},
          {"num_cpus", result.facts.cores},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"load_avg", Json::array()},
          {"library_version", "gpulab " + build.version},
          {"library_build_type", build.build_type == "Debug" ? "debug" : "release"},
          {"json_schema_version", 1},
          {"device", result.device.name}};
}

Json gbench_row(const PlottedValue& plotted, std::size_t index) {
  const std::string name = id_of(plotted.what) + "/" + plotted.figure.name;
  const double time_us = plotted.figure.value * 1e6;
  return {{"name", name},
          {"family_index", index},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", 1},
          {"repetition_index", 0},
          {"threads", 1},
          {"iterations", plotted.figure.samples},
          {"real_time", time_us},
          {"cpu_time", time_us},
          {"time_unit", "us"}};
}

}  // namespace

std::string bench_bmf(const std::vector<BenchResult>& results) {
  Json benchmarks = Json::object();
  for (const PlottedValue& plotted : plotted_values(results)) {
    const bool is_count = plotted.figure.unit == FigureUnit::count;  // such as of requests, which are no cost
    if (is_count && !is_cost(plotted.kind, plotted.figure.name)) continue;
    Json metric = {{"value", in_ns(plotted.figure, plotted.figure.value)}};
    if (plotted.figure.range) {
      metric["lower_value"] = in_ns(plotted.figure, plotted.figure.range->low);
      metric["upper_value"] = in_ns(plotted.figure, plotted.figure.range->high);
    }
    benchmarks[id_of(plotted.what)][measure_of(plotted.figure)] = metric;
  }
  require_not_empty(benchmarks, "figures");
  return document_text(benchmarks);
}

std::string bench_gha(const std::vector<BenchResult>& results) {
  Json list = Json::array();
  for (const PlottedValue& plotted : plotted_values(results)) {
    const BenchFigure& figure = plotted.figure;
    if (!is_cost(plotted.kind, figure.name)) continue;
    // Counts do not depend on the machine, and a series must not end where the runner's CPU changes.
    const bool is_simulated_count =
        figure.unit == FigureUnit::count && !results.empty() && results.front().device.simulated();
    const std::string device = is_simulated_count ? "simulated" : device_name(results);
    Json entry = {{"name", fmt::format("{} {} [{}]", id_of(plotted.what), figure.name, device)},
                  {"unit", unit_in_us(figure)},
                  {"value", in_us(figure, figure.value)}};
    if (figure.range)
      entry["range"] = "± " + Json(in_us(figure, (figure.range->high - figure.range->low) / 2)).dump();
    entry["extra"] =
        "median of " + std::to_string(figure.processes) + (figure.processes == 1 ? " process" : " processes");
    list.push_back(entry);
  }
  require_not_empty(list, "a time, an energy or a count that comparisons judge");
  return document_text(list);
}

std::string bench_gbench(const std::vector<BenchResult>& results) {
  Json rows = Json::array();
  for (const PlottedValue& plotted : plotted_values(results))
    if (plotted.figure.unit == FigureUnit::seconds) rows.push_back(gbench_row(plotted, rows.size()));
  require_not_empty(rows, "a time, and this format holds only times");
  return document_text({{"context", gbench_context(results.front())}, {"benchmarks", rows}});
}

namespace {

constexpr int major_version = 1;

// Throws std::runtime_error for times that no clock can have measured.
void require_possible(const Timing& timing, const std::string& what) {
  const auto is_time = [](double seconds) { return seconds > 0; };
  if (!std::ranges::all_of(timing.samples_s, is_time))
    throw std::runtime_error(what + " has a sample that is not above 0");
  if (!is_time(timing.median_s)) throw std::runtime_error(what + " has a median that is not above 0");
  if (timing.confidence_s && timing.confidence_s->low > timing.confidence_s->high)
    throw std::runtime_error(what + " has low_s above high_s");
}

BenchRow row_of(const Json& json) {
  BenchRow row;
  JsonReader reader(json);
  fields(reader, row);
  row.explanation = printable_lines(row.explanation);
  if (row.valid && (row.expected == Outcome::wrong || row.observed == Outcome::wrong))
    throw std::runtime_error(id_of(row.what) + ": 'valid' contradicts 'expected' and 'observed'");
  for (const auto& [time, timing] : row.times)
    require_possible(timing, id_of(row.what) + ": " + std::string(name_of(time)));
  return row;
}

void require_version(const Json& json) {
  const bool has_kind = json.is_object() && json.contains("schema") && json["schema"].is_string();
  const std::string kind = has_kind ? json["schema"].get<std::string>() : "";
  if (kind != "gpulab.bench")
    throw UsageError(kind.empty() ? "is not a document of gpulab bench"
                                  : "is a document of another command, \"" + kind +
                                        "\"; gpulab bench writes \"gpulab.bench\"");
  const auto version = converted<std::string>("schema_version", field(json, "schema_version"));
  source::Scanner numbers(version);  // three, with dots between them
  bool is_well_formed = true;
  for (const char* separator : {".", ".", ""})
    is_well_formed = is_well_formed && !numbers.take_digits().empty() && numbers.take(separator);
  if (!is_well_formed || !numbers.is_at_end())
    throw UsageError("has the schema_version \"" + version +
                     "\", which is not written like 1.0.0; measure again, or restore the document");
  if (!version.starts_with(std::to_string(major_version) + "."))
    throw UsageError(fmt::format(
        "has version {} of the schema, and this gpulab reads version {}; use the gpulab that wrote it, or measure again",
        version, major_version));
}

void read_facts(const Json& json, BenchResult& result) {
  require_version(json);
  JsonReader document(json), run(field(json, "run")), host(field(json, "host")),
      device(field(json, "device"));
  run_fields(run, result.facts);
  host_fields(host, result.facts);
  document("tool", result.facts.build);
  fields(device, result.device);
  device.known("fallback", result.facts.fallback);
  document("plan", result.plan);
  JsonReader plan(field(json, "plan"));
  plan.optional("order", result.plan.order);
  plan.optional("rough_s", result.plan.rough_s);
  plan.optional("ruled_out", result.plan.ruled_out);
}

void read_end(const Json& json, BenchResult& result) {
  JsonReader end(json);
  end_fields(end, result);
}

// Refuses a case that one process has twice: the copy would count as another process with the same result.
void refuse_copies(const std::vector<BenchRow>& rows) {
  std::set<std::pair<std::string, int>> seen;
  for (const BenchRow& row : rows)
    if (!seen.emplace(id_of(row.what), row.process).second)
      throw std::runtime_error(id_of(row.what) + " is in it twice for process " +
                               std::to_string(row.process));
}

// Refuses text that is no object: the parser would only say at which byte it stopped.
void require_object_text(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) throw UsageError("is empty");
  if (text[begin] != '{') throw UsageError("is not a document of gpulab bench, which would begin with {");
}

template <class Read>
void read_checked(const std::string& name, const Read& read) {
  try {
    read();
  } catch (const UsageError& error) {
    throw UsageError(name + " " + error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(name + " is a damaged document of gpulab bench: " + error.what());
  }
}

}  // namespace

BenchResult read_bench_json(const std::string& text, const std::string& name) {
  BenchResult result;
  read_checked(name, [&] {
    require_object_text(text);
    const Json json = parsed_json(text);
    read_facts(json, result);
    read_end(json, result);
    if (!field(json, "results").is_array()) throw std::runtime_error("'results' is no list");
    for (const Json& row : field(json, "results")) result.rows.push_back(row_of(row));
    refuse_copies(result.rows);
  });
  return result;
}

bool read_bench_line(const std::string& line, const std::string& name, BenchResult& result) {
  bool is_end = false;
  read_checked(name, [&] {
    const Json json = parsed_json(line);
    if (json.contains("schema")) {
      read_facts(json, result);
    } else if (json.contains("complete")) {
      read_end(json, result);
      is_end = true;
    } else {
      result.rows.push_back(row_of(json));
    }
  });
  return is_end;
}

}  // namespace gpulab::bench
