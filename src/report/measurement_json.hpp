#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/run_facts.hpp"

// What every document with measurements has: how long, on what, by whom.

namespace gpulab {

using Json = nlohmann::ordered_json;

// A number that is not finite is written as null, by the library.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text);
Json timing_json(const Timing& timing);
Json device_json(const DeviceProperties& device);
Json tool_json(const BuildFacts& build);
Json run_json(const RunFacts& facts);
Json host_json(const RunFacts& facts);

// Bytes that are not UTF-8, in a file's name or a compiler's message, must not lose the report.
std::string text_of(const Json& document);

}  // namespace gpulab
