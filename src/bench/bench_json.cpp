#include "bench/bench_json.hpp"

#include <algorithm>
#include <cmath>

#include "bench/bench_formats.hpp"
#include "bench/result.hpp"
#include "lesson/json_fields.hpp"
#include "lesson/words.hpp"

namespace gpulab::bench {
namespace {

// Events resolve half a microsecond: six digits are more than enough, and keep large documents small.
double six_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(six_digits(value));
  return list;
}

Json bench_timing_json(const Timing& timing) {
  const auto bound = [&](double Interval::*end) {
    return timing.confidence_s ? Json(*timing.confidence_s.*end) : Json(nullptr);
  };
  return {{"median_s", timing.median_s},
          {"low_s", bound(&Interval::low)},
          {"high_s", bound(&Interval::high)},
          {"min_s", std::ranges::min(timing.samples_s)},
          {"samples", timing.samples_s.size()},
          {"stop", identifier(timing.stop)},
          {"samples_s", rounded(timing.samples_s)},
          {"clocks_hz", rounded(timing.clocks_hz)}};
}

Json energy_json(const std::optional<Energy>& energy) {
  if (!energy) return nullptr;
  return {{"joules_per_run", energy->joules_per_run}, {"watts", energy->watts}, {"seconds", energy->seconds}};
}

Json row_json(const BenchRow& row) {
  const BenchCase& what = row.what;
  Json json = {{"id", id_of(what)},
               {"lesson", what.lesson},
               {"variant", what.variant},
               {"kind", name_of(row.kind)},
               {"size", what.size},
               {"seed", what.seed},
               {"options", options_json(what.options)},
               {"block_size", known_or_null(what.block_size)},
               {"process", row.process},
               {"position", row.position},
               {"expected", identifier(row.expected)},
               {"observed", identifier(row.observed)},
               {"valid", row.valid},
               {"explanation", text_or_null(row.explanation)},
               {"bytes_read", row.traffic.bytes_read},
               {"bytes_written", row.traffic.bytes_written},
               {"operations", row.traffic.operations},
               {"limited_by", row.traffic.limited_by_operations ? "operations" : "memory"}};
  for (const BenchTime time : all_bench_times) {
    const auto found = row.times.find(time);
    const bool was_taken = found != row.times.end() && !found->second.samples_s.empty();
    json[std::string(name_of(time))] = was_taken ? bench_timing_json(found->second) : Json(nullptr);
  }
  json["energy"] = energy_json(row.energy);
  json["counts"] = Json::object();
  for (const auto& [name, count] : row.counts) json["counts"][name] = count;
  json["warnings"] = row.warnings;
  return json;
}

Json bench_device_json(const DeviceProperties& device) {
  return {{"kind", device.kind},
          {"index", device.index},
          {"name", device.name},
          {"compute_capability", text_or_null(device.simulated() ? "" : device.compute_capability())},
          {"multiprocessors", known_or_null(device.multiprocessors)},
          {"memory_bytes", known_or_null(device.memory_bytes)},
          {"l2_bytes", known_or_null(device.l2_bytes)},
          {"clock_hz", known_or_null(device.clock_hz)},
          {"memory_clock_hz", known_or_null(device.memory_clock_hz)},
          {"peak_bytes_per_s", known_or_null(device.peak_bytes_per_s)},
          {"peak_operations_per_s", known_or_null(device.peak_operations_per_s)},
          {"driver", text_or_null(device.driver_version)}};
}

Json facts_json(const BenchResult& result) {
  Json device = bench_device_json(result.device);
  device["fallback"] = text_or_null(result.facts.fallback);
  return {{"schema", "gpulab.bench"},
          {"schema_version", "1.0.0"},
          {"tool", tool_json(result.facts.build)},
          {"run", run_json(result.facts)},
          {"host", host_json(result.facts)},
          {"device", device},
          {"plan",
           {{"processes", result.plan.processes},
            {"order_seed", result.plan.order_seed},
            {"time_budget_s", value_or_null(result.plan.time_budget_s)},
            {"rows", result.plan.rows}}}};
}

Json bench_claim_json(const BenchClaim& one) {
  const auto& [claim, verdict, ratio] = one.result;
  return {{"lesson", one.lesson},
          {"size", one.size},
          {"kind", identifier(claim.kind)},
          {"text", claim_text(claim)},
          {"better", claim.better},
          {"worse", claim.worse},
          {"figure", text_or_null(claim.figure)},
          {"min_ratio", claim.ratio},
          {"measured_ratio", value_or_null(ratio)},
          {"verdict", identifier(verdict)}};
}

Json end_json(const BenchResult& result) {
  Json ceilings = Json::array(), claims = Json::array();
  for (const Ceiling& ceiling : result.ceilings)
    ceilings.push_back({{"what", ceiling.what}, {"per_s", ceiling.per_s}});
  for (const BenchClaim& claim : result.claims) claims.push_back(bench_claim_json(claim));
  return {{"complete", result.complete()},
          {"stopped_by", text_or_null(result.stopped_by)},
          {"remarks", result.remarks},
          {"ceilings", ceilings},
          {"claims", claims},
          {"exit_code", static_cast<int>(exit_code_of(result))}};
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string GrowingBenchJson::document(const BenchResult& result) {
  for (; count_ < result.rows.size(); ++count_) {
    rows_ += count_ == 0 ? "\n" : ",\n";
    rows_ += row_json(result.rows[count_]).dump(-1, ' ', false, Json::error_handler_t::replace);
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
  return line_of(row_json(row));
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
