#include "suites/manifest.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
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

// "fill": a number for every element, "index" for 0, 1, 2 ..., "unwritten". "values": a list, or the name of one in "data".
Given array(const Json& json, const Json& data) {
  Given given{.type = json.at("type"), .is_array = true};
  const std::string element = pointee(given.type);
  if (json.contains("values")) {
    const Json& values = json["values"].is_string() ? data.at(json["values"].get<std::string>()) : json["values"];
    for (const Json& value : values) given.bytes += bytes_of(element, value.get<double>());
    return given;
  }
  const auto count = json.at("count").get<std::size_t>();
  const Json fill = json.value("fill", Json(0));
  given.is_unwritten = fill == "unwritten";
  if (json.contains("bytes_each")) {  // a structure, all of whose bytes are zero
    given.bytes.assign(count * json["bytes_each"].get<std::size_t>(), '\0');
    return given;
  }
  for (std::size_t i = 0; i < count; ++i)
    given.bytes += bytes_of(element, fill == "index" ? static_cast<double>(i) : fill.is_number() ? fill.get<double>() : 0);
  return given;
}

Given argument(const Json& json, const Json& data) {
  const std::string type = json.at("type");
  if (is_pointer(type) && !json.contains("value")) return array(json, data);
  return {.type = type, .bytes = bytes_of(type, json.at("value").get<double>())};
}

ExpectedCount expected_count(const Json& json) {
  ExpectedCount count{.what = json.at("what"), .value = json.at("value"), .reason = json.value("reason", "")};
  if (json.contains("corrected")) count.corrected = json["corrected"].get<double>();
  return count;
}

Case read_case(const Json& json, const Json& data, const std::filesystem::path& folder) {
  Case read{.name = json.at("name"),
            .file = folder / json.at("file").get<std::string>(),
            .kernel = json.at("kernel"),
            .launch = {.grid = extent(json.at("grid")),
                       .block = extent(json.at("block")),
                       .dynamic_shared_bytes = json.value("shared", std::size_t{0})},
            .time_limit_s = json.value("time_limit_s", 20.0),
            .max_accesses = json.value("max_accesses", std::size_t{20'000'000}),
            .expected = json.value("expect", std::vector<std::string>{}),
            .explained = json.value("explained", std::map<std::string, std::string>{})};
  for (const Json& each : json.at("arguments")) read.arguments.push_back(argument(each, data));
  for (const std::string& name : json.value("orders", std::vector<std::string>{"forward", "reverse", "preempted"}))
    read.orders.push_back(order(name));
  for (const Json& each : json.value("counts", Json::array())) read.counts.push_back(expected_count(each));
  for (const std::string& name : read.expected) require_class(name);
  for (const auto& [name, reason] : read.explained) require_class(name);
  return read;
}

}  // namespace

Manifest read_manifest(const std::filesystem::path& file) {
  std::string at;
  try {
    const Json json = Json::parse(std::ifstream(file));
    Manifest manifest{.suite = json.at("suite"), .about = json.value("about", ""), .judged = json.at("judged")};
    for (const std::string& name : manifest.judged) require_class(name);
    const Json data = json.value("data", Json::object());
    for (const Json& each : json.at("cases")) {
      at = ", case '" + each.value("name", "?") + "'";
      manifest.cases.push_back(read_case(each, data, file.parent_path()));
    }
    return manifest;
  } catch (const std::exception& error) {
    throw UsageError(file.string() + at + ": " + error.what());
  }
}

}  // namespace gpulab::suites
