#include "lesson/json_fields.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "lesson/words.hpp"

namespace gpulab {
namespace {

Json extent_json(const Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

}  // namespace

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json launch_json(const std::optional<LaunchConfig>& launch) {
  if (!launch) return nullptr;
  return {{"grid", extent_json(launch->grid)},
          {"block", extent_json(launch->block)},
          {"dynamic_shared_bytes", launch->dynamic_shared_bytes}};
}

Json options_json(const std::map<std::string, OptionValue>& options) {
  Json all = Json::object();
  for (const auto& [name, value] : options)
    std::visit([&, &option = name](const auto& chosen) { all[option] = chosen; }, value);
  return all;
}

std::string document_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parsed_json(const std::string& text) try {
  return Json::parse(text);
} catch (const Json::parse_error& error) {
  throw std::runtime_error("it is not a whole JSON document: it is cut off or damaged at byte " +
                           std::to_string(error.byte));
} catch (const Json::out_of_range&) {
  throw std::runtime_error("it has a number that is too large to be a figure");
}

Json timing_json(const Timing& timing) {
  if (timing.samples_s.empty()) return nullptr;
  Json interval = nullptr;
  if (timing.confidence_s) interval = {timing.confidence_s->low, timing.confidence_s->high};
  return {{"median_s", timing.median_s},
          {"confidence_95_s", interval},
          {"relative_half_width", value_or_null(timing.relative_half_width())},
          {"stop", identifier(timing.stop)},
          {"samples_s", timing.samples_s}};
}

Json device_json(const DeviceProperties& device, const std::vector<std::string>& names) {
  const Json all = json_of(device);
  Json chosen = Json::object();
  for (const std::string& name : names) chosen[name] = all.at(name);
  return chosen;
}

Json tool_json(const BuildFacts& build) {
  return json_of(build);
}

Json run_json(const RunFacts& facts) {
  JsonWriter json;
  run_fields(json, facts);
  return json.object;
}

Json host_json(const RunFacts& facts) {
  JsonWriter json;
  host_fields(json, facts);
  return json.object;
}

namespace {

std::string shown(const Json& value) {
  constexpr std::size_t max_shown = 40;
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > max_shown ? text.substr(0, max_shown) + " ..." : text;
}

void require_object(const Json& json) {
  if (!json.is_object()) throw std::runtime_error("an object is needed, not " + shown(json));
}

}  // namespace

void refuse_field(const std::string& name, const Json& value) {
  throw std::runtime_error(fmt::format("'{}' is {}", name, shown(value)));
}

const Json* find_field(const Json& object, const std::string& name) {
  require_object(object);
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& field(const Json& object, const std::string& name) {
  require_object(object);
  const auto found = object.find(name);
  if (found == object.end()) throw std::runtime_error("it has no '" + name + "'");
  return *found;
}

void JsonReader::read(const std::string& name, const Json& json, OptionValue& value) {
  if (json.is_number_unsigned())
    value = json.get<std::uint64_t>();
  else if (json.is_number())
    value = json.get<double>();
  else
    value = converted<std::string>(name, json);
}

std::string packed(const Json& document) {
  std::string bytes;
  Json::to_cbor(document, bytes);
  return bytes;
}

Json unpacked(const std::string& bytes) {
  return Json::from_cbor(bytes);
}

}  // namespace gpulab
