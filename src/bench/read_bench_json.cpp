#include <algorithm>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>

#include "bench/bench_json.hpp"
#include "lesson/json_fields.hpp"
#include "lesson/words.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::bench {
namespace {

constexpr int major_version = 1;

// A newer gpulab may know one that this does not.
template <class T>
T enumerator(const std::string& text, T last, T unknown) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (identifier(static_cast<T>(i)) == text) return static_cast<T>(i);
  return unknown;
}

OptionValue option_value(const std::string& name, const Json& json) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number()) return json.get<double>();
  return converted<std::string>(name, json);
}

Timing timing_of(const Json& json) {
  Timing timing;
  timing.samples_s = field(json, "samples_s").as<std::vector<double>>();
  timing.clocks_hz = field_or(json, "clocks_hz", std::vector<double>{});
  timing.median_s = field(json, "median_s").as<double>();
  timing.stop =
      enumerator(field(json, "stop").as<std::string>(), StopReason::sample_limit, StopReason::converged);
  const auto low = optional_field<double>(json, "low_s"), high = optional_field<double>(json, "high_s");
  if (low && high) timing.confidence_s = Interval{*low, *high};
  return timing;
}

// What no clock can have measured. Throws std::runtime_error.
void require_possible(const Timing& timing, const std::string& what) {
  const auto is_time = [](double seconds) { return seconds > 0; };
  if (!std::ranges::all_of(timing.samples_s, is_time))
    throw std::runtime_error(what + " has a sample that is not above 0");
  if (!is_time(timing.median_s)) throw std::runtime_error(what + " has a median that is not above 0");
  if (timing.confidence_s && timing.confidence_s->low > timing.confidence_s->high)
    throw std::runtime_error(what + " has low_s above high_s");
}

BenchKind kind_of(const std::string& text) {
  for (const BenchKind kind : {BenchKind::kernel, BenchKind::library})
    if (text == name_of(kind)) return kind;
  return BenchKind::cpu;
}

BenchCase case_of(const Json& json) {
  BenchCase what{.lesson = field(json, "lesson"),
                 .variant = field(json, "variant"),
                 .size = field(json, "size"),
                 .seed = field(json, "seed"),
                 .block_size = field_or(json, "block_size", 0u)};
  for (const auto& [name, value] : field(json, "options").json().items())
    what.options[name] = option_value(name, value);
  return what;
}

BenchRow row_of(const Json& json) {
  BenchRow row{.what = case_of(json), .kind = kind_of(field(json, "kind"))};
  row.process = field(json, "process");
  row.position = field_or(json, "position", 0);
  row.expected = enumerator(field(json, "expected").as<std::string>(), Outcome::not_run, Outcome::not_run);
  row.observed = enumerator(field(json, "observed").as<std::string>(), Outcome::not_run, Outcome::not_run);
  row.valid = field(json, "valid");
  row.explanation = field_or(json, "explanation", std::string());
  row.traffic = {.bytes_read = field(json, "bytes_read"),
                 .bytes_written = field(json, "bytes_written"),
                 .operations = field(json, "operations"),
                 .limited_by_operations = field(json, "limited_by").json() == "operations"};
  for (const BenchTime time : all_bench_times)
    if (const Json* const taken = find_field(json, std::string(name_of(time)))) {
      row.times[time] = timing_of(*taken);
      require_possible(row.times[time], id_of(row.what) + ": " + std::string(name_of(time)));
    }
  if (const Json* const energy = find_field(json, "energy"))
    row.energy = Energy{field(*energy, "joules_per_run"), field(*energy, "watts"), field(*energy, "seconds")};
  for (const auto& [name, count] : field(json, "counts").json().items())
    row.counts[name] = converted<std::uint64_t>(name, count);
  row.warnings = field_or(json, "warnings", row.warnings);
  return row;
}

RunFacts run_facts_of(const Json& json) {
  RunFacts facts;
  facts.started_utc = field(field(json, "run").json(), "started_utc").as<std::string>();
  facts.argv = field(field(json, "run").json(), "argv").as<std::vector<std::string>>();
  const Json& host = field(json, "host").json();
  facts.hostname = field(host, "hostname").as<std::string>();
  facts.cpu = field_or(host, "cpu", std::string());
  facts.cores = field(host, "cores");
  const Json& tool = field(json, "tool").json();
  facts.build = {.version = field(tool, "version"),
                 .revision = field_or(tool, "revision", std::string()),
                 .compiler = field(tool, "compiler"),
                 .build_type = field(tool, "build_type"),
                 .cuda_toolkit = field_or(tool, "cuda_toolkit", std::string())};
  return facts;
}

DeviceProperties properties_of(const Json& json) {
  DeviceProperties device;
  device.kind = field(json, "kind").as<std::string>();
  device.index = field_or(json, "index", 0);
  device.name = field(json, "name").as<std::string>();
  std::istringstream capability(field_or(json, "compute_capability", std::string()));
  char point = '.';
  capability >> device.compute_capability_major >> point >> device.compute_capability_minor;
  device.multiprocessors = field_or(json, "multiprocessors", 0);
  device.memory_bytes = field_or(json, "memory_bytes", std::size_t{0});
  device.l2_bytes = field_or(json, "l2_bytes", std::size_t{0});
  device.clock_hz = field_or(json, "clock_hz", 0.0);
  device.memory_clock_hz = field_or(json, "memory_clock_hz", 0.0);
  device.peak_bytes_per_s = field_or(json, "peak_bytes_per_s", 0.0);
  device.peak_operations_per_s = field_or(json, "peak_operations_per_s", 0.0);
  device.driver_version = field_or(json, "driver", std::string());
  return device;
}

BenchClaim claim_of(const Json& json) {
  return {.lesson = field(json, "lesson"),
          .size = field(json, "size"),
          .result = {.claim = {.kind = enumerator(field(json, "kind").as<std::string>(),
                                                  Claim::Kind::fewer_counted, Claim::Kind::faster),
                               .ratio = field(json, "min_ratio"),
                               .better = field(json, "better"),
                               .worse = field(json, "worse"),
                               .figure = field_or(json, "figure", std::string())},
                     .verdict = enumerator(field(json, "verdict").as<std::string>(),
                                           ClaimVerdict::not_measured, ClaimVerdict::not_measured),
                     .ratio = optional_field<double>(json, "measured_ratio")}};
}

void require_version(const Json& json) {
  const bool has_kind = json.is_object() && json.contains("schema") && json["schema"].is_string();
  const std::string kind = has_kind ? json["schema"].get<std::string>() : "";
  if (kind != "gpulab.bench")
    throw UsageError(kind.empty() ? "is no document of gpulab bench"
                                  : "is a document of another command, \"" + kind +
                                        "\"; gpulab bench writes "
                                        "\"gpulab.bench\"");
  const std::string version = field(json, "schema_version");
  source::Scanner numbers(version);
  bool has_form = true;
  for (const char* end : {".", ".", ""})
    has_form = has_form && !numbers.digits().empty() && numbers.take(end);
  if (!has_form || !numbers.is_at_end())
    throw UsageError("has the schema_version \"" + version +
                     "\", which is not written like 1.0.0; measure again, or restore the document");
  if (!version.starts_with(std::to_string(major_version) + "."))
    throw UsageError("has version " + version + " of the schema, and this gpulab reads version " +
                     std::to_string(major_version) + "; use the gpulab that wrote it, or measure again");
}

void read_facts(const Json& json, BenchResult& result) {
  require_version(json);
  result.facts = run_facts_of(json);
  result.device = properties_of(field(json, "device").json());
  result.facts.fallback = field_or(field(json, "device").json(), "fallback", std::string());
  const Json& plan = field(json, "plan").json();
  result.plan = {.order = field_or(plan, "order", std::vector<std::string>{}),
                 .processes = field(plan, "processes"),
                 .order_seed = field(plan, "order_seed"),
                 .time_budget_s = optional_field<double>(plan, "time_budget_s"),
                 .rows = field(plan, "rows")};
}

void read_end(const Json& json, BenchResult& result) {
  result.stopped_by = field_or(json, "stopped_by", std::string());
  if (!field(json, "complete").as<bool>() && result.stopped_by.empty()) result.stopped_by = "it was stopped";
  result.remarks = field_or(json, "remarks", result.remarks);
  for (const Json& ceiling : list_field(json, "ceilings"))
    result.ceilings.push_back({field(ceiling, "what"), field(ceiling, "per_s")});
  for (const Json& claim : list_field(json, "claims")) result.claims.push_back(claim_of(claim));
}

// One process measures a case once: a copy would look like another process that says the same.
void refuse_copies(const std::vector<BenchRow>& rows) {
  std::set<std::pair<std::string, int>> seen;
  for (const BenchRow& row : rows)
    if (!seen.emplace(id_of(row.what), row.process).second)
      throw std::runtime_error(id_of(row.what) + " is in it twice for process " +
                               std::to_string(row.process));
}

// Before the parser says at which byte it gave up.
void require_object_text(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) throw UsageError("is empty");
  if (text[begin] != '{') throw UsageError("is no document of gpulab bench, which would begin with {");
}

template <class Read>
void read_checked(const std::string& name, const Read& read) {
  try {
    read();
  } catch (const UsageError& error) {
    throw UsageError(name + " " + error.what());
  } catch (const Json::parse_error& error) {
    throw UsageError(name + " is no whole JSON document: it is cut off or damaged at byte " +
                     std::to_string(error.byte));
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
    const Json json = Json::parse(text);
    read_facts(json, result);
    read_end(json, result);
    for (const Json& row : field(json, "results").json()) result.rows.push_back(row_of(row));
    refuse_copies(result.rows);
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

}  // namespace gpulab::bench
