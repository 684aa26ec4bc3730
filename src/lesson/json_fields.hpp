#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "lesson/launch.hpp"
#include "lesson/problem.hpp"
#include "lesson/result.hpp"

namespace gpulab {

// What several JSON documents have in common.

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text);

// A count, a rate or a line whose zero means that nobody knows it.
template <class T>
Json known_or_null(T number) {
  return number > 0 ? Json(number) : Json(nullptr);
}

// A number that is not finite is written as null, by the library.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json launch_json(const std::optional<LaunchConfig>& launch);
Json options_json(const std::map<std::string, OptionValue>& options);

// As it is printed. Bytes that are not UTF-8, in a file's name or a compiler's message, do not lose it.
std::string document_text(const Json& document);

// What every document with measurements has: how long, on what, by whom.

Json timing_json(const Timing& timing);
Json device_json(const DeviceProperties& device);
Json tool_json(const BuildFacts& build);
Json run_json(const RunFacts& facts);
Json host_json(const RunFacts& facts);

// Reading the fields of a document that anybody may have written. Throws std::runtime_error, which names the
// field, for what is missing or is something else.

// "'size' is -1"
[[noreturn]] void refuse_field(const std::string& name, const Json& value);

// The library would turn -1 into the largest number there is, and 1.5 into 1.
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

// A field that becomes what it is assigned to.
class Field {
 public:
  Field(std::string name, const Json& value) : name_(std::move(name)), value_(value) {}

  template <class T>
  T as() const {
    return converted<T>(name_, value_);
  }
  template <class T>
  operator T() const {  // NOLINT
    return as<T>();
  }
  const Json& json() const { return value_; }

 private:
  std::string name_;
  const Json& value_;
};

// Null where it is missing or null.
const Json* find_field(const Json& object, const std::string& name);

// One that must be there, though it may be null.
Field field(const Json& object, const std::string& name);

template <class T>
std::optional<T> optional_field(const Json& object, const std::string& name) {
  const Json* const found = find_field(object, name);
  return found ? std::optional<T>(converted<T>(name, *found)) : std::nullopt;
}

template <class T>
T field_or(const Json& object, const std::string& name, T missing) {
  return optional_field<T>(object, name).value_or(std::move(missing));
}

// The elements of a list; none where it is missing.
const Json& list_field(const Json& object, const std::string& name);

}  // namespace gpulab
