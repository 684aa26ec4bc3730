#include <algorithm>
#include <span>

#include "report/bench_json.hpp"
#include "report/json_values.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

constexpr int major_version = 1;

template <class T>
std::optional<T> optional_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<T>();
}

template <class T>
T value_or(const Json& json, const char* name, T missing) {
  return optional_at<T>(json, name).value_or(std::move(missing));
}

// A newer gpulab may know one that this does not.
template <class T>
T enumerator(const std::string& text, T last, T unknown) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (identifier(static_cast<T>(i)) == text) return static_cast<T>(i);
  return unknown;
}

OptionValue option_value(const Json& json) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

Timing timing_of(const Json& json) {
  Timing timing;
  timing.samples_s = json.at("samples_s").get<std::vector<double>>();
  timing.clocks_hz = value_or(json, "clocks_hz", std::vector<double>{});
  timing.median_s = json.at("median_s").get<double>();
  timing.stop = enumerator(json.at("stop").get<std::string>(), StopReason::sample_limit, StopReason::converged);
  const auto low = optional_at<double>(json, "low_s"), high = optional_at<double>(json, "high_s");
  if (low && high) timing.confidence_s = Interval{*low, *high};
  return timing;
}

BenchKind kind_of(const std::string& text) {
  for (const BenchKind kind : {BenchKind::kernel, BenchKind::library})
    if (text == name_of(kind)) return kind;
  return BenchKind::cpu;
}

BenchCase case_of(const Json& json) {
  BenchCase what{.lesson = json.at("lesson"),
                 .variant = json.at("variant"),
                 .size = json.at("size"),
                 .seed = json.at("seed"),
                 .block_size = value_or(json, "block_size", 0u)};
  for (const auto& [name, value] : json.at("options").items()) what.options[name] = option_value(value);
  return what;
}

BenchRow row_of(const Json& json) {
  BenchRow row{.what = case_of(json), .kind = kind_of(json.at("kind"))};
  row.process = json.at("process");
  row.position = value_or(json, "position", 0);
  row.expected = enumerator(json.at("expected").get<std::string>(), Outcome::not_run, Outcome::not_run);
  row.observed = enumerator(json.at("observed").get<std::string>(), Outcome::not_run, Outcome::not_run);
  row.valid = json.at("valid");
  row.explanation = value_or(json, "explanation", std::string());
  row.traffic = {.bytes_read = json.at("bytes_read"),
                 .bytes_written = json.at("bytes_written"),
                 .operations = json.at("operations"),
                 .limited_by_operations = json.at("limited_by") == "operations"};
  for (const BenchTime time : all_bench_times)
    if (const auto taken = optional_at<Json>(json, std::string(name_of(time)).c_str()))
      row.times[time] = timing_of(*taken);
  if (const auto energy = optional_at<Json>(json, "energy"))
    row.energy = Energy{energy->at("joules_per_run"), energy->at("watts"), energy->at("seconds")};
  row.counts = json.at("counts").get<std::map<std::string, std::uint64_t>>();
  row.warnings = value_or(json, "warnings", row.warnings);
  return row;
}

RunFacts run_facts_of(const Json& json) {
  RunFacts facts;
  facts.started_utc = json.at("run").at("started_utc");
  facts.argv = json.at("run").at("argv").get<std::vector<std::string>>();
  const Json& host = json.at("host");
  facts.hostname = host.at("hostname");
  facts.cpu = value_or(host, "cpu", std::string());
  facts.cores = host.at("cores");
  const Json& tool = json.at("tool");
  facts.build = {.version = tool.at("version"),
                 .revision = value_or(tool, "revision", std::string()),
                 .compiler = tool.at("compiler"),
                 .build_type = tool.at("build_type"),
                 .cuda_toolkit = value_or(tool, "cuda_toolkit", std::string())};
  return facts;
}

DeviceProperties properties_of(const Json& json) {
  DeviceProperties device;
  device.kind = json.at("kind");
  device.index = value_or(json, "index", 0);
  device.name = json.at("name");
  const std::string capability = value_or(json, "compute_capability", std::string("0.0"));
  const std::size_t dot = capability.find('.');
  device.compute_capability_major = std::stoi(capability);
  if (dot != std::string::npos) device.compute_capability_minor = std::stoi(capability.substr(dot + 1));
  device.multiprocessors = value_or(json, "multiprocessors", 0);
  device.memory_bytes = value_or(json, "memory_bytes", std::size_t{0});
  device.l2_bytes = value_or(json, "l2_bytes", std::size_t{0});
  device.clock_hz = value_or(json, "clock_hz", 0.0);
  device.memory_clock_hz = value_or(json, "memory_clock_hz", 0.0);
  device.peak_bytes_per_s = value_or(json, "peak_bytes_per_s", 0.0);
  device.peak_operations_per_s = value_or(json, "peak_operations_per_s", 0.0);
  device.driver_version = value_or(json, "driver", std::string());
  return device;
}

BenchClaim claim_of(const Json& json) {
  return {.lesson = json.at("lesson"),
          .size = json.at("size"),
          .result = {.claim = {.kind = enumerator(json.at("kind").get<std::string>(),
                                                  Claim::Kind::fewer_counted, Claim::Kind::faster),
                               .ratio = json.at("min_ratio"),
                               .better = json.at("better"),
                               .worse = json.at("worse"),
                               .figure = value_or(json, "figure", std::string())},
                     .verdict = enumerator(json.at("verdict").get<std::string>(), ClaimVerdict::not_measured,
                                           ClaimVerdict::not_measured),
                     .ratio = optional_at<double>(json, "measured_ratio")}};
}

void require_version(const Json& json) {
  const std::string kind = value_or(json, "schema", std::string());
  if (kind != "gpulab.bench")
    throw UsageError(kind.empty() ? "is no document of gpulab bench"
                                  : "is a document of another command, \"" + kind + "\"; gpulab bench writes "
                                    "\"gpulab.bench\"");
  const std::string version = json.at("schema_version");
  if (std::stoi(version) != major_version)
    throw UsageError("has version " + version + " of the schema, and this gpulab reads version " +
                     std::to_string(major_version) + "; use the gpulab that wrote it, or measure again");
}

void read_facts(const Json& json, BenchResult& result) {
  require_version(json);
  result.facts = run_facts_of(json);
  result.device = properties_of(json.at("device"));
  const Json& plan = json.at("plan");
  result.plan = {.order = value_or(plan, "order", std::vector<std::string>{}),
                 .processes = plan.at("processes"),
                 .order_seed = plan.at("order_seed"),
                 .time_budget_s = optional_at<double>(plan, "time_budget_s"),
                 .rows = plan.at("rows")};
}

void read_end(const Json& json, BenchResult& result) {
  result.stopped_by = value_or(json, "stopped_by", std::string());
  if (!json.at("complete").get<bool>() && result.stopped_by.empty()) result.stopped_by = "it was stopped";
  result.remarks = value_or(json, "remarks", result.remarks);
  for (const Json& ceiling : value_or(json, "ceilings", Json::array()))
    result.ceilings.push_back({ceiling.at("what"), ceiling.at("per_s")});
  for (const Json& claim : value_or(json, "claims", Json::array())) result.claims.push_back(claim_of(claim));
}

// What the library says of a missing field is for programmers; the name of the field is for people, too.
template <class Read>
void read_checked(const std::string& name, const Read& read) {
  try {
    read();
  } catch (const UsageError& error) {
    throw UsageError(name + " " + error.what());
  } catch (const Json::parse_error& error) {
    throw UsageError(name + " is no whole JSON document: it is cut off or damaged at byte " +
                     std::to_string(error.byte));
  } catch (const std::exception& error) {
    throw UsageError(name + " is a damaged document of gpulab bench: " + error.what());
  }
}

}  // namespace

BenchResult read_bench_json(const std::string& text, const std::string& name) {
  BenchResult result;
  read_checked(name, [&] {
    const Json json = Json::parse(text);
    read_facts(json, result);
    read_end(json, result);
    for (const Json& row : json.at("results")) result.rows.push_back(row_of(row));
  });
  return result;
}

bool read_bench_line(const std::string& line, const std::string& name, BenchResult& result) {
  bool is_end = false;
  read_checked(name, [&] {
    const Json json = Json::parse(line);
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

}  // namespace gpulab::report
