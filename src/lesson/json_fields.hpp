#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lesson/fields.hpp"
#include "lesson/launch.hpp"
#include "lesson/problem.hpp"
#include "lesson/result.hpp"

namespace gpulab {

// JSON documents: common parts, and the archives that write and read them.

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text);

// Returns null for a count, rate or line of 0, which means unknown.
template <class T>
Json known_or_null(T number) {
  return number > 0 ? Json(number) : Json(nullptr);
}

// The library writes numbers that are not finite as null.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Returns a list with what `json_of_element` makes of each element.
template <class List, class ToJson>
Json list_json(const List& elements, const ToJson& json_of_element) {
  Json list = Json::array();
  for (const auto& element : elements) list.push_back(json_of_element(element));
  return list;
}

Json launch_json(const std::optional<LaunchConfig>& launch);
Json options_json(const std::map<std::string, OptionValue>& options);

// Formats a document for printing. Invalid UTF-8 in a file name or a compiler's message is replaced.
std::string document_text(const Json& document);

// Parses a document. Throws std::runtime_error, which says where it is cut off or damaged.
Json parsed_json(const std::string& text);

// Common parts of documents with measurements: timing, tool, host, device.

Json timing_json(const Timing& timing);
Json tool_json(const BuildFacts& build);
Json run_json(const RunFacts& facts);
Json host_json(const RunFacts& facts);

// Chooses these fields, in this order.
Json device_json(const DeviceProperties& device,
                 const std::vector<std::string>& names = {"kind", "name", "architecture", "peak_bytes_per_s",
                                                          "driver"});

// An archive that writes: its object has the fields in the listed order.
class JsonWriter {
 public:
  static constexpr bool reads = false, is_table = false;

  // Writes as(value), such as the value with fewer digits.
  template <class T, class As = std::identity>
  void operator()(std::string_view name, const T& value, const As& as = {}) {
    object[std::string(name)] = json_of(as(value));
  }
  template <class T, class As = std::identity>
  void optional(std::string_view name, const T& value, const As& as = {}) {
    (*this)(name, value, as);
  }
  template <class T>
  void known(std::string_view name, const T& value) {
    known_if(is_known(value), name, value);
  }
  template <class T>
  void known_if(bool condition, std::string_view name, const T& value) {
    object[std::string(name)] = condition ? json_of(value) : Json(nullptr);
  }
  template <class E>
  void word(std::string_view name, E value, E /*last*/, E /*unknown*/) {
    object[std::string(name)] = identifier(value);
  }
  template <class Value>
  void derived(std::string_view name, const Value& value) {
    (*this)(name, value());
  }

  template <class T>
  static Json json_of(const T& value) {
    if constexpr (HasFields<const T, JsonWriter>) {
      JsonWriter json;
      fields(json, value);
      return std::move(json.object);
    } else if constexpr (is_optional<T>) {
      return value ? json_of(*value) : Json(nullptr);
    } else if constexpr (is_list<T>) {
      Json list = Json::array();
      for (const auto& element : value) list.push_back(json_of(element));
      return list;
    } else if constexpr (std::is_same_v<T, std::map<std::string, OptionValue>>) {
      return options_json(value);
    } else {
      return Json(value);
    }
  }

  Json object = Json::object();
};

// Writes the fields of a struct, or of a list of structs.
template <class T>
Json json_of(const T& value) {
  return JsonWriter::json_of(value);
}

// Reads fields of untrusted documents. Throws std::runtime_error, which names the field, if it is missing or
// of another type.

// Throws "'size' is -1".
[[noreturn]] void refuse_field(const std::string& name, const Json& value);

// Rejects -1 and 1.5, which the library would convert to the largest number and to 1.
template <class T>
bool fits(const Json& value) {
  if constexpr (std::is_same_v<T, bool>) return value.is_boolean();
  if constexpr (std::is_unsigned_v<T>) return value.is_number_unsigned();
  if constexpr (std::is_integral_v<T>) return value.is_number_integer();
  return true;
}

template <class T>
T converted(const std::string& name, const Json& value) {
  if (!fits<T>(value)) refuse_field(name, value);
  try {
    return value.get<T>();
  } catch (const Json::exception&) {
    refuse_field(name, value);
  }
}

// Returns null if it is missing or null.
const Json* find_field(const Json& object, const std::string& name);

// Returns a field that must exist but may be null.
const Json& field(const Json& object, const std::string& name);

// An archive that reads an object, which must outlive it.
class JsonReader {
 public:
  static constexpr bool reads = true, is_table = false;

  explicit JsonReader(const Json& object) : object_(object) {}

  template <class T, class As = std::identity>
  void operator()(const std::string& name, T& value, const As& /*as*/ = {}) {
    read(name, field(object_, name), value);
  }
  template <class T, class As = std::identity>
  void optional(const std::string& name, T& value, const As& /*as*/ = {}) {
    if (const Json* const found = find_field(object_, name)) read(name, *found, value);
  }
  template <class T>
  void known(const std::string& name, T& value) {
    optional(name, value);
  }
  template <class T>
  void known_if(bool /*condition*/, const std::string& name, T& value) {
    optional(name, value);
  }
  template <class E>
  void word(const std::string& name, E& value, E last, E unknown) {
    value = enumerator(converted<std::string>(name, field(object_, name)), last, unknown);
  }
  template <class Value>
  void derived(std::string_view /*name*/, const Value& /*value*/) {}

 private:
  static void read(const std::string& name, const Json& json, OptionValue& value);

  template <class T>
  static void read(const std::string& name, const Json& json, std::optional<T>& value) {
    read(name, json, value.emplace());
  }
  template <class T>
  static void read(const std::string& /*name*/, const Json& json, std::map<std::string, T>& values) {
    for (const auto& [key, value] : json.items()) read(key, value, values[key]);
  }
  template <class T>
  static void read(const std::string& name, const Json& json, T& value) {
    if constexpr (HasFields<T, JsonReader>) {
      JsonReader inner(json);
      fields(inner, value);
    } else {
      value = converted<T>(name, json);
    }
  }
  template <class T>
  requires HasFields<T, JsonReader>
  static void read(const std::string& name, const Json& json, std::vector<T>& values) {
    if (!json.is_array()) refuse_field(name, json);
    for (const Json& value : json) read(name, value, values.emplace_back());
  }

  const Json& object_;
};

// Packs a document for another gpulab process as CBOR, which keeps infinities, NaN and invalid UTF-8.
std::string packed(const Json& document);

// Throws Json::exception for incomplete bytes.
Json unpacked(const std::string& bytes);

}  // namespace gpulab
