#include <algorithm>

#include "core/bench_figures.hpp"
#include "report/bench_formats.hpp"
#include "report/json_values.hpp"

// The JSON of other tools. What each of them requires is in its test.

namespace gpulab::report {
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

}  // namespace gpulab::report
