#include "bench/bench_json.hpp"

#include <algorithm>

#include "bench/bench_formats.hpp"
#include "bench/fields.hpp"
#include "bench/result.hpp"
#include "lesson/json_fields.hpp"

namespace gpulab::bench {
namespace {

Json facts_json(const BenchResult& result) {
  Json device = device_json(result.device, {"kind", "index", "name", "compute_capability", "multiprocessors",
                                            "memory_bytes", "l2_bytes", "clock_hz", "memory_clock_hz",
                                            "peak_bytes_per_s", "peak_operations_per_s", "driver"});
  device["fallback"] = text_or_null(result.facts.fallback);
  return {{"schema", "gpulab.bench"},
          {"schema_version", "1.0.0"},
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
  // A row in a line: samples would take a line each.
  std::string text = document_text(facts);
  text.resize(text.rfind("\n}"));
  return text + ",\n  \"results\": [" + rows_ + "\n  ]\n}\n";
}

std::string bench_json(const BenchResult& result) {
  return GrowingBenchJson().document(result);
}

std::string bench_facts_line(const BenchResult& result) {
  Json facts = facts_json(result);
  facts["plan"]["order"] = result.plan.order;
  return line_of(facts);
}

std::string bench_row_line(const BenchRow& row) {
  return line_of(json_of(row));
}

std::string bench_end_line(const BenchResult& result) {
  return line_of(end_json(result));
}

// The JSON of other tools. What each of them requires is in its test.

namespace {

struct Charted {
  BenchCase what;
  BenchKind kind = BenchKind::kernel;
  BenchFigure figure;
};

// What can be charted: numbers of results that are right.
std::vector<Charted> charted(const std::vector<BenchResult>& results) {
  std::vector<Charted> all;
  for (const CaseFigures& one : case_figures(results))
    if (one.valid)
      for (const BenchFigure& figure : one.figures) all.push_back({one.what, one.kind, figure});
  return all;
}

void refuse_nothing(const Json& list, const std::string& what) {
  if (list.empty()) throw UsageError("there is nothing to write: no result is right and has " + what);
}

// "steady-latency", "global-load-sectors": a measure's name in Bencher, which begins a cold one with nothing.
std::string measure_of(const BenchFigure& figure) {
  if (figure.name == name_of(BenchTime::cold) || figure.name == name_of(BenchTime::cpu)) return "latency";
  std::string name = figure.name + (figure.unit == FigureUnit::seconds ? "-latency" : "");
  std::ranges::replace(name, '_', '-');
  return name;
}

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

Json gbench_row(const Charted& one, std::size_t index) {
  const std::string name = id_of(one.what) + "/" + one.figure.name;
  const double time_us = one.figure.value * 1e6;
  return {{"name", name},
          {"family_index", index},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", 1},
          {"repetition_index", 0},
          {"threads", 1},
          {"iterations", one.figure.samples},
          {"real_time", time_us},
          {"cpu_time", time_us},
          {"time_unit", "us"}};
}

}  // namespace

std::string bench_bmf(const std::vector<BenchResult>& results) {
  Json benchmarks = Json::object();
  for (const Charted& one : charted(results)) {
    Json metric = {{"value", in_ns(one.figure, one.figure.value)}};
    if (one.figure.range) {
      metric["lower_value"] = in_ns(one.figure, one.figure.range->low);
      metric["upper_value"] = in_ns(one.figure, one.figure.range->high);
    }
    benchmarks[id_of(one.what)][measure_of(one.figure)] = metric;
  }
  refuse_nothing(benchmarks, "figures");
  return document_text(benchmarks);
}

std::string bench_gha(const std::vector<BenchResult>& results) {
  Json list = Json::array();
  for (const Charted& one : charted(results)) {
    const BenchFigure& figure = one.figure;
    if (!is_cost(one.kind, figure.name)) continue;
    Json entry = {{"name", id_of(one.what) + " " + figure.name + " [" + device_name(results) + "]"},
                  {"unit", unit_in_us(figure)},
                  {"value", in_us(figure, figure.value)}};
    if (figure.range)
      entry["range"] = "± " + Json(in_us(figure, (figure.range->high - figure.range->low) / 2)).dump();
    entry["extra"] =
        "median of " + std::to_string(figure.processes) + (figure.processes == 1 ? " process" : " processes");
    list.push_back(entry);
  }
  refuse_nothing(list, "a time, an energy or a count of what costs");
  return document_text(list);
}

std::string bench_gbench(const std::vector<BenchResult>& results) {
  Json rows = Json::array();
  for (const Charted& one : charted(results))
    if (one.figure.unit == FigureUnit::seconds) rows.push_back(gbench_row(one, rows.size()));
  refuse_nothing(rows, "a time, and Google Benchmark has times alone");
  return document_text({{"context", gbench_context(results.front())}, {"benchmarks", rows}});
}

}  // namespace gpulab::bench
