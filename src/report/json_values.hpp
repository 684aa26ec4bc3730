#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/launch.hpp"
#include "core/settings.hpp"

// What several JSON documents have in common.

namespace gpulab {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text);

// A number that is not finite is written as null, by the library.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json launch_json(const std::optional<LaunchConfig>& launch);
Json options_json(const std::map<std::string, OptionValue>& options);

// As it is printed. Bytes that are not UTF-8, in a file's name or a compiler's message, do not lose it.
std::string document_text(const Json& document);

}  // namespace gpulab
