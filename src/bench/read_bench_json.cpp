#include <algorithm>
#include <new>
#include <set>
#include <stdexcept>

#include "bench/bench_json.hpp"
#include "bench/fields.hpp"
#include "lesson/json_fields.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::bench {
namespace {

constexpr int major_version = 1;

// What no clock can have measured. Throws std::runtime_error.
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
  for (const auto& [time, timing] : row.times)
    require_possible(timing, id_of(row.what) + ": " + std::string(name_of(time)));
  return row;
}

void require_version(const Json& json) {
  const bool has_kind = json.is_object() && json.contains("schema") && json["schema"].is_string();
  const std::string kind = has_kind ? json["schema"].get<std::string>() : "";
  if (kind != "gpulab.bench")
    throw UsageError(kind.empty() ? "is no document of gpulab bench"
                                  : "is a document of another command, \"" + kind +
                                        "\"; gpulab bench writes "
                                        "\"gpulab.bench\"");
  const auto version = converted<std::string>("schema_version", field(json, "schema_version"));
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
  JsonReader document(json), run(field(json, "run")), host(field(json, "host")),
      device(field(json, "device"));
  run_fields(run, result.facts);
  host_fields(host, result.facts);
  document("tool", result.facts.build);
  fields(device, result.device);
  device.known("fallback", result.facts.fallback);
  document("plan", result.plan);
  JsonReader(field(json, "plan")).optional("order", result.plan.order);
}

void read_end(const Json& json, BenchResult& result) {
  JsonReader end(json);
  end_fields(end, result);
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
    for (const Json& row : field(json, "results")) result.rows.push_back(row_of(row));
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
