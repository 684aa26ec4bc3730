#include "suites/manifest.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "suites/judgement.hpp"
#include "suites/parameters.hpp"

namespace gpulab::suites {
namespace {

using Json = nlohmann::json;

Extent extent(const Json& sizes) {
  return {sizes.at(0).get<unsigned>(), sizes.size() > 1 ? sizes[1].get<unsigned>() : 1,
          sizes.size() > 2 ? sizes[2].get<unsigned>() : 1};
}

device::ThreadOrder order(const std::string& name) {
  using Kind = device::ThreadOrder::Kind;
  if (name == "forward") return {Kind::forward};
  if (name == "reverse") return {Kind::reverse};
  if (name == "preempted") return {Kind::preempted};
  throw UsageError("there is no order '" + name + "'");
}

std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

// Reads an array: "fill" is a number for every element, or "index" for 0, 1, 2 ...; "values" is a list, or
// the name of one in "data".
GivenArgument array(const Json& json, const Json& data) {
  GivenArgument given{
      .type = json.at("type"), .is_array = true, .bytes_each = json.value("bytes_each", std::size_t{0})};
  if (json.contains("values")) {
    const Json& values =
        json["values"].is_string() ? data.at(json["values"].get<std::string>()) : json["values"];
    given.values = values.get<std::vector<double>>();
  }
  given.raw = bytes_of_hex(json.value("hex", ""));
  const Json fill = json.value("fill", Json(0));
  given.is_counting = fill == "index";
  if (given.values.empty()) given.values = {fill.is_number() ? fill.get<double>() : 0};
  given.count = json.value("count", given.values.size());
  if (json.contains("written_bytes")) given.written_bytes = json["written_bytes"].get<std::size_t>();
  return given;
}

GivenArgument argument(const Json& json, const Json& data) {
  if (!json.contains("value")) return array(json, data);
  return {.type = json.at("type"), .values = {json["value"].get<double>()}, .count = 1};
}

ExpectedCount expected_count(const Json& json) {
  ExpectedCount count{.what = json.at("what"), .value = json.at("value"), .reason = json.value("reason", "")};
  if (json.contains("corrected")) count.corrected = json["corrected"].get<double>();
  return count;
}

// Reads a case; fields that it lacks are those of the manifest's "defaults".
Case read_case(const Json& defaults, const Json& own, const Json& data, const std::filesystem::path& folder) {
  Json json = defaults;
  json.update(own);
  Case test_case{.name = json.at("name"),
                 .file = folder / json.at("file").get<std::string>(),
                 .kernel = json.at("kernel"),
                 .launch = {.grid = extent(json.at("grid")),
                            .block = extent(json.at("block")),
                            .dynamic_shared_bytes = json.value("shared", std::size_t{0})},
                 .time_limit_s = json.value("time_limit_s", 20.0),
                 .max_accesses = json.value("max_accesses", std::size_t{20'000'000}),
                 .expected = json.value("expect", std::vector<std::string>{}),
                 .explained = json.value("explained", std::map<std::string, std::string>{})};
  for (const Json& each : json.at("arguments")) test_case.arguments.push_back(argument(each, data));
  for (const std::string& name :
       json.value("orders", std::vector<std::string>{"forward", "reverse", "preempted"}))
    test_case.orders.push_back(order(name));
  for (const Json& each : json.value("counts", Json::array()))
    test_case.counts.push_back(expected_count(each));
  return test_case;
}

// Reads ["race"], or {"defect": ["race", "bounds"]} where a label is about several classes.
std::map<std::string, std::vector<std::string>> labels(const Json& json) {
  std::map<std::string, std::vector<std::string>> labels;
  if (json.is_object())
    labels = json;
  else
    for (const std::string name : json) labels[name] = {name};
  for (const auto& [label, classes] : labels)
    for (const std::string& name : classes) require_class(name);
  return labels;
}

void require_labels(const Manifest& manifest, const Case& test_case) {
  std::vector<std::string> used = test_case.expected;
  for (const auto& [label, reason] : test_case.explained) used.push_back(label);
  for (const std::string& label : used)
    if (!manifest.judged.contains(label))
      throw UsageError("'" + label + "' is not among the labels that are judged");
}

}  // namespace

std::string bytes_of(const GivenArgument& given) {
  if (!given.raw.empty()) return given.raw;
  if (given.bytes_each > 0) return std::string(given.count * given.bytes_each, '\0');
  const std::string element = given.is_array ? pointee(given.type) : given.type;
  std::string bytes;
  for (std::size_t i = 0; i < given.values.size() && i < given.count; ++i)
    bytes += bytes_of(element, given.values[i]);
  const std::string last = bytes_of(element, given.values.back());
  const bool is_zero = !given.is_counting && last.find_first_not_of('\0') == std::string::npos;
  bytes.reserve(given.count * last.size());
  if (is_zero) bytes.resize(std::max(bytes.size(), given.count * last.size()));
  for (std::size_t i = bytes.size() / last.size(); i < given.count; ++i)
    bytes += given.is_counting ? bytes_of(element, static_cast<double>(i)) : last;
  return bytes;
}

Manifest read_manifest(const std::filesystem::path& file) {
  std::string at;
  try {
    const Json json = Json::parse(std::ifstream(file));
    Manifest manifest{
        .suite = json.at("suite"), .about = json.value("about", ""), .judged = labels(json.at("judged"))};
    manifest.skipped = json.value("skipped", std::map<std::string, std::string>{});
    const Json data = json.value("data", Json::object());
    for (const Json& each : json.at("cases")) {
      at = ", case '" + each.value("name", "?") + "'";
      manifest.cases.push_back(
          read_case(json.value("defaults", Json::object()), each, data, file.parent_path()));
      require_labels(manifest, manifest.cases.back());
    }
    return manifest;
  } catch (const std::exception& error) {
    throw UsageError(file.string() + at + ": " + error.what());
  }
}

}  // namespace gpulab::suites
